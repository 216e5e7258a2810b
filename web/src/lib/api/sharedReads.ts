// One request for reads of the same address at the same time. Queries with the same key
// share their answer already; this covers all others, such as two components that read
// the same address under different keys, or a read outside of a query.
//
// A read never joins one that was sent before the end of a write: it may lack the write.

type Fetch = (request: Request) => Promise<Response>;

interface Reader {
  resolve: (response: Response) => void;
  reject: (fault: unknown) => void;
}

/** A request that was sent, and the readers that wait for its response. */
interface Sent {
  waiting: Set<Reader>;
  interested: number; // readers that have not aborted
  stop: AbortController;
}

export class SharedReads {
  private readonly underWay = new Map<string, Sent>();

  /** Sends a request, or waits for the response of an equal GET request that is under way. */
  async send(request: Request, fetch: Fetch): Promise<Response> {
    if (request.method !== 'GET') {
      try {
        return await fetch(request);
      } finally {
        this.forget();
      }
    }
    request.signal.throwIfAborted();
    return this.join(this.underWay.get(keyOf(request)) ?? this.begin(request, fetch), request);
  }

  /** Lets no further read join those that are under way, after a write or another user's sign-in. */
  forget(): void {
    this.underWay.clear();
  }

  private begin(request: Request, fetch: Fetch): Sent {
    const key = keyOf(request);
    const sent: Sent = { waiting: new Set(), interested: 0, stop: new AbortController() };
    this.underWay.set(key, sent);
    const end = () => {
      if (this.underWay.get(key) === sent) this.underWay.delete(key);
      const readers = [...sent.waiting];
      sent.waiting.clear();
      return readers;
    };
    sent.stop.signal.addEventListener('abort', end);
    fetch(new Request(request, { signal: sent.stop.signal })).then(
      (response) => {
        const readers = end();
        // All copies are made before a reader can start to read the body.
        const copies = readers.map((_, i) => (i === 0 ? response : response.clone()));
        readers.forEach((reader, i) => reader.resolve(copies[i]!));
      },
      (fault) => end().forEach((reader) => reader.reject(fault)),
    );
    return sent;
  }

  private join(sent: Sent, request: Request): Promise<Response> {
    sent.interested++;
    return new Promise((resolve, reject) => {
      const reader = { resolve, reject };
      sent.waiting.add(reader);
      // Also after the response, so that a body without readers is not loaded to the end.
      request.signal.addEventListener('abort', () => {
        sent.waiting.delete(reader);
        reject(request.signal.reason);
        if (--sent.interested === 0) sent.stop.abort(request.signal.reason);
      });
    });
  }
}

const keyOf = (request: Request) => [request.url, ...[...request.headers].flat()].join('\n');
