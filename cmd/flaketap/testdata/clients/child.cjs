// Leaves it to another process to ask, and that one to a thread.
const { spawnSync } = require('child_process');
const { Worker, isMainThread, workerData } = require('worker_threads');

const args = process.argv.slice(2);
if (!isMainThread) {
  process.argv.push(...workerData);
  require('./core.cjs');
} else if (process.env.CHILD) {
  new Worker(__filename, { workerData: args });
} else {
  const child = spawnSync(process.execPath, [__filename, ...args], { stdio: 'inherit', env: { ...process.env, CHILD: '1' } });
  process.exit(child.status);
}
