// Forwards this page's console output and uncaught errors to the terminal of the server.
const where = location.pathname;

const shown = (value) => {
  if (value instanceof Error) return value.stack ?? value.message;
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    return String(value);
  }
};

// One at a time, so that lines keep their order; failures to send are ignored.
let last = Promise.resolve();
function send(level, values) {
  const body = JSON.stringify({ level, where, line: values.map(shown).join(' ') });
  last = last.then(() => fetch('/__log', { method: 'POST', body, keepalive: true })).catch(() => undefined);
}

for (const level of ['debug', 'log', 'info', 'warn', 'error']) {
  const write = console[level];
  console[level] = (...values) => {
    write.apply(console, values);
    send(level, values);
    const output = document.getElementById('output');
    if (output) output.textContent += `${values.map(shown).join(' ')}\n`;
  };
}

addEventListener('error', ({ error, message }) => send('error', [error ?? message]));
addEventListener('unhandledrejection', ({ reason }) => send('error', [reason]));
