// Runs work in one tab at a time. navigator.locks does that, but does not exist on
// plain http outside of localhost. There a lease in localStorage is used: it leaves
// a small race, which is harmless because the server accepts a token that was
// replaced a moment ago.

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
  const owner = Math.random().toString(36).slice(2);
  while (!acquire(storage, key, owner)) await new Promise((resume) => setTimeout(resume, 50));
  try {
    return await work();
  } finally {
    if (storage.getItem(key)?.startsWith(owner)) storage.removeItem(key);
  }
}

function acquire(storage: Storage, key: string, owner: string): boolean {
  const until = Number(storage.getItem(key)?.split(' ')[1] ?? 0);
  if (until > Date.now()) return false;
  storage.setItem(key, `${owner} ${Date.now() + leaseMillis}`);
  return storage.getItem(key)!.startsWith(owner);
}
