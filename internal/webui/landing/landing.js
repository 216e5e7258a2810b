// Shows whether this installation has an owner yet.
const section = document.getElementById('status');

function show(state, texts = {}) {
  for (const [id, text] of Object.entries(texts)) {
    document.getElementById(id).textContent = text;
  }
  section.dataset.state = state;
}

async function ask() {
  const answer = await fetch('/api/v1/setup/status', { headers: { Accept: 'application/json' } });
  if (!answer.ok) {
    throw new Error(`status ${answer.status}`);
  }
  const status = await answer.json();
  if (status.needs_setup) {
    show('new', { origin: location.origin, length: status.min_password_length });
  } else {
    show('ready');
  }
}

ask().catch((fault) => show('failed', { fault: fault.message }));
