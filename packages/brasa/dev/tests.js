// Runs the test suites in this page, on each device of the browser. Filters: `?device=cpu`, `?threads=1`, `?only=text`.
const has = JSON.parse(document.querySelector('script[data-has]').dataset.has);
if (has.shared) globalThis.brasaShared = `${location.origin}/shared/`;
if (has.mnist) globalThis.brasaMnist = `${location.origin}/mnist/`;
const { run, brasa } = await import('/suites.js');

const wanted = new URLSearchParams(location.search);
const only = wanted.get('only') ?? undefined;

async function settings() {
  const cores = navigator.hardwareConcurrency;
  const all = [{ device: 'cpu', threads: 1 }];
  if (cores > 1 && crossOriginIsolated) all.push({ device: 'cpu', threads: cores });
  if (await navigator.gpu?.requestAdapter()) all.push({ device: 'webgpu', threads: 1 });
  const fits = ({ device, threads }) => [['device', device], ['threads', String(threads)]].every(([key, own]) => (wanted.get(key) ?? own) === own);
  return all.filter(fits);
}

function append(to, tag, text, kind = '') {
  const element = document.createElement(tag);
  element.textContent = text;
  element.className = kind;
  to.append(element);
  return element;
}

async function runOn(setting) {
  const name = `${setting.device}, ${setting.threads} thread${setting.threads === 1 ? '' : 's'}`;
  const section = append(document.body, 'section', '');
  const title = append(section, 'h2', `${name}: running`);
  const list = append(section, 'ul', '');
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const total = () => `${name}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
  const report = ({ suite, name: test, ms, problem, skipped, notes }) => {
    const kind = problem ? 'failed' : skipped ? 'skipped' : 'passed';
    counts[kind] += 1;
    const item = append(list, 'li', `${suite}: ${test}, ${skipped ?? `${ms.toFixed(0)} ms`}`, kind);
    if (problem) {
      append(item, 'pre', problem);
      console.error(`FAILED ${name} | ${suite}: ${test}\n${problem}`);
    }
    for (const note of notes) append(item, 'div', note, 'notes');
    title.textContent = `${total()} so far`;
  };
  try {
    await brasa.init(setting);
    await run({ ...setting, only }, report);
  } catch (error) {
    counts.failed += 1;
    append(list, 'li', `the run ended early: ${error.stack ?? error}`, 'failed');
  }
  brasa.terminate();
  title.textContent = total();
  console.log(total());
  return counts.failed;
}

let failed = 0;
for (const setting of await settings()) failed += await runOn(setting);
document.body.dataset.done = failed === 0 ? 'passed' : 'failed';
