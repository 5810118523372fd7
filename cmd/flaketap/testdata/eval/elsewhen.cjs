// Moves the clock of Jest's tests by the seconds that ELSEWHEN says.
const real = Date.now;
Date.now = () => real() + 1000 * Number(process.env.ELSEWHEN ?? 0);
