// One tab at a time. navigator.locks does it wherever it exists; it does not on
// plain http outside localhost, where a lease in localStorage does nearly as
// well: the server forgives the rest, as it honours a token just replaced.

export type Lock = <T>(name: string, work: () => Promise<T>) => Promise<T>;

export function bestLock(
  storage: Storage,
  locks: LockManager | undefined = globalThis.navigator?.locks,
): Lock {
  if (locks) return (name, work) => locks.request(name, work) as ReturnType<typeof work>;
  return (name, work) => withLease(storage, name, work);
}

const leaseMillis = 10_000;

async function withLease<T>(storage: Storage, name: string, work: () => Promise<T>): Promise<T> {
  const key = `${name}.lease`;
  const me = Math.random().toString(36).slice(2);
  while (!take(storage, key, me)) await new Promise((resume) => setTimeout(resume, 50));
  try {
    return await work();
  } finally {
    if (storage.getItem(key)?.startsWith(me)) storage.removeItem(key);
  }
}

function take(storage: Storage, key: string, me: string): boolean {
  const until = Number(storage.getItem(key)?.split(' ')[1] ?? 0);
  if (until > Date.now()) return false;
  storage.setItem(key, `${me} ${Date.now() + leaseMillis}`);
  return storage.getItem(key)!.startsWith(me);
}
