/** Returns the cursor of the next page from a Link header, or null on the last page. */
export function nextCursor(link: string | null): string | null {
  const address = link?.match(/<([^>]+)>;\s*rel="next"/)?.[1];
  return address ? new URL(address, location.origin).searchParams.get('cursor') : null;
}
