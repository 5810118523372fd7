package flaketap.hooks;

/** A hook that runs: what it calls itself is not told, nor is it changed, and where it fails nothing is told. */
final class Busy {
  private static final ThreadLocal<Busy> ON = new ThreadLocal<>();
  private static final Busy YES = new Busy();

  private Busy() {}

  interface Hook {
    void run() throws Throwable;
  }

  interface Look<T> {
    T result() throws Throwable;
  }

  /** Runs a hook, unless one runs. */
  static void hook(Hook hook) {
    look(null, () -> {
      hook.run();
      return null;
    });
  }

  /** The same for a hook that returns something; otherwise it is what is returned where it does not run, or fails. */
  static <T> T look(T otherwise, Look<T> hook) {
    if (ON.get() != null) return otherwise;
    ON.set(YES);
    try {
      return hook.result();
    } catch (Throwable nothingIsTold) {
      return otherwise; // the API goes on
    } finally {
      ON.remove();
    }
  }
}
