// Uploads a file and reports the progress, which fetch cannot do.

import { tokens } from './client';
import { ApiError, errorOf } from './errors';

export interface Upload {
  path: string; // such as /api/v1/imports
  fields: Record<string, string>;
  file: File;
  progress?: (share: number) => void;
  headers?: Record<string, string>; // such as Idempotency-Key
}

export async function upload<T>(what: Upload): Promise<T> {
  const token = await tokens.bearer();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', what.path);
    if (token) request.setRequestHeader('Authorization', `Bearer ${token}`);
    for (const [name, value] of Object.entries(what.headers ?? {})) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) what.progress?.(event.loaded / event.total);
    };
    request.onerror = () =>
      reject(new ApiError(0, 'offline', 'Can’t reach the server. Nothing was imported twice. Try again.'));
    request.onload = () => finish(request, resolve, reject);
    request.send(toFormData(what));
  });
}

function toFormData(what: Upload): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(what.fields)) if (value !== '') form.set(name, value);
  form.set('file', what.file); // last: the server reads the fields before the file
  return form;
}

function finish<T>(
  request: XMLHttpRequest,
  resolve: (body: T) => void,
  reject: (fault: ApiError) => void,
): void {
  let body: unknown;
  try {
    body = request.responseText === '' ? undefined : JSON.parse(request.responseText);
  } catch {
    body = undefined;
  }
  if (request.status >= 200 && request.status < 300) return resolve(body as T);
  const wait = request.getResponseHeader('Retry-After');
  reject(
    errorOf(
      new Response(null, { status: request.status, headers: wait ? { 'Retry-After': wait } : {} }),
      body,
    ),
  );
}
