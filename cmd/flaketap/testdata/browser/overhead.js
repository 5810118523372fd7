// Sends the same commands to two browsers in turn: to the one by way of SELENIUM_REMOTE_URL, to the other by the driver DRIVER.
// It writes how long each took for all of them ("wall", in ms, one for each round), and how much of the processors' time
// both browsers with their drivers, what stands before the one, and this program for each, took in all ("processor", in ms),
// to RESULTS. Where that is there already, it is one round, which nobody measures.
const fs = require('node:fs');
const { Builder, By } = require('selenium-webdriver');
const chrome = require('selenium-webdriver/chrome');

const rounds = fs.existsSync(process.env.RESULTS) ? 1 : Number(process.env.ROUNDS);
const options = (name) => new chrome.Options().setChromeBinaryPath(process.env.CHROMIUM).addArguments(
  '--headless=new', '--no-sandbox', '--disable-dev-shm-usage', `--user-data-dir=${process.cwd()}/${name}`);

async function round(driver) {
  await driver.get(`${process.env.PAGES}/fetch`);
  await driver.getTitle();
  const age = await driver.findElement(By.id('age'));
  await age.getText();
  await driver.findElement(By.id('go')).click();
  await age.getAttribute('id');
  await driver.executeScript('return 1');
}

// all are the processes that there are.
function all() {
  return fs.readdirSync('/proc').filter((pid) => /^\d+$/.test(pid)).flatMap((pid) => {
    try {
      const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
      const ticks = Number(fields[11]) + Number(fields[12]); // of a hundredth of a second
      return [{ pid: Number(pid), parent: Number(fields[1]), time: 10 * ticks, command: fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8') }];
    } catch {
      return []; // it has ended
    }
  });
}

// spent is the time of the driver that has started a browser with a profile, and of all that it has started.
function spent(name) {
  const there = all();
  const browser = there.find(({ command }) => command.includes(`${process.cwd()}/${name}\0`) && !command.includes('--type='));
  const of = new Set([browser.parent]);
  for (let n = 0; n < of.size;) {
    n = of.size;
    for (const { pid, parent } of there) if (of.has(parent)) of.add(pid);
  }
  return there.filter(({ pid }) => of.has(pid)).reduce((sum, { time }) => sum + time, 0);
}

const before = () => all().find(({ pid }) => pid === process.ppid).time;

async function main() {
  const recorded = await new Builder().forBrowser('chrome').setChromeOptions(options('recorded')).build();
  delete process.env.SELENIUM_REMOTE_URL;
  const service = new chrome.ServiceBuilder(process.env.DRIVER);
  const bare = await new Builder().forBrowser('chrome').setChromeOptions(options('bare')).setChromeService(service).build();
  const sides = { recorded, bare };
  for (let i = 0; i < 5; i++) for (const driver of Object.values(sides)) await round(driver);
  const out = { wall: { recorded: [], bare: [] }, processor: { recorded: -spent('recorded') - before(), bare: -spent('bare') } };
  for (let i = 0; i < rounds; i++) {
    for (const name of i % 2 ? ['recorded', 'bare'] : ['bare', 'recorded']) {
      const [start, used] = [performance.now(), process.cpuUsage()];
      await round(sides[name]);
      const { user, system } = process.cpuUsage(used);
      out.wall[name].push(performance.now() - start);
      out.processor[name] += (user + system) / 1000;
    }
  }
  out.processor.recorded += spent('recorded') + before();
  out.processor.bare += spent('bare');
  if (rounds > 1) fs.writeFileSync(process.env.RESULTS, JSON.stringify(out));
  await Promise.all([recorded.quit(), bare.quit()]);
}

main();
