// Keys that keep a repeated POST from being executed twice. If a POST's response
// was lost, the server may or may not have executed it. The same request gets the
// same Idempotency-Key until there is a response, whether the page repeats it or the
// user presses Save again.

type Fetch = (request: Request) => Promise<Response>;

/** Statuses after which a request may or may not have been executed. */
const uncertain = [502, 503, 504];

export class KeyRing {
  private readonly unanswered = new Map<string, string>();

  async send(request: Request, fetch: Fetch): Promise<Response> {
    if (request.method !== 'POST' || request.headers.has('Idempotency-Key')) return fetch(request);
    const id = `${request.url} ${await request.clone().text()}`;
    const key = this.unanswered.get(id) ?? createKey();
    request.headers.set('Idempotency-Key', key);
    this.unanswered.set(id, key);
    const response = await fetch(request);
    if (!uncertain.includes(response.status)) this.unanswered.delete(id);
    return response;
  }
}

/** Returns a random key. crypto.randomUUID does not exist on plain http outside of localhost. */
export function createKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, '0')).join('');
}
