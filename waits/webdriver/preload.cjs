'use strict';
// Has each command that a Node program sends to flaketap's WebDriver address name the place in the suite that it comes
// from. flaketap waits sets NODE_OPTIONS so that Node loads this first.
const http = require('http');
const module_ = require('module');
const path = require('path');
const { fileURLToPath } = require('url');

const driver = new URL(process.env.SELENIUM_REMOTE_URL || 'http://none.invalid');
const request = http.request;

http.request = function (...args) {
  const made = request.apply(this, args);
  if (`${made.host}:${made.getHeader('host')}`.endsWith(driver.host) && !made.headersSent) {
    const at = place();
    if (at) made.setHeader('flaketap-source', encodeURI(at));
  }
  return made;
};
Object.defineProperty(http.request, 'name', { value: 'request' });
module_.syncBuiltinESMExports();

// Lines of a stack: "at name (file:line:column)" and "at file:line:column". Names of folders have brackets too.
const inFunction = /\(((?:file:\/\/|\/|[A-Za-z]:\\).*):(\d+):(\d+)\)$/;
const alone = /^\s*at (?:async )?((?:file:\/\/|\/|[A-Za-z]:\\).*):(\d+):(\d+)$/;

// place is the nearest call that stands in no library: file:line:column, the file from the working folder.
function place() {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 60;
  const { stack } = new Error();
  Error.stackTraceLimit = limit;
  for (const line of stack.split('\n').slice(2)) {
    const found = inFunction.exec(line) || alone.exec(line);
    if (!found || found[1].includes('<anonymous>')) continue;
    const file = found[1].startsWith('file://') ? fileURLToPath(found[1]) : found[1];
    if (file === __filename || /[\\/]node_modules[\\/]/.test(file)) continue;
    return `${path.relative(process.cwd(), file).split(path.sep).join('/')}:${found[2]}:${found[3]}`;
  }
  return '';
}
