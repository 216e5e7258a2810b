// Errors of the API: a code for decisions, a message to show, and the field that
// the error belongs to, if there is one.

export class ApiError extends Error {
  constructor(
    readonly status: number, // 0 if there was no response
    readonly code: string,
    message: string,
    readonly field: string | null = null,
    readonly details: Record<string, unknown> = {},
    readonly retryAfter = 0, // seconds, with rate_limited
  ) {
    super(message);
    this.name = 'ApiError';
  }

  /** Reports whether the server was unreachable, so the same request may work later. */
  get isAway(): boolean {
    return this.code === 'offline' || [502, 503, 504].includes(this.status);
  }
}

interface ErrorBody {
  error?: { code?: string; message?: string; details?: Record<string, unknown> };
}

/** Returns the error of a response that is not 2xx. */
export function errorOf(response: Response, body: unknown): ApiError {
  const { code, message, details = {} } = (body as ErrorBody | undefined)?.error ?? {};
  const field = typeof details.field === 'string' ? details.field : null;
  const wait = Number(response.headers.get('Retry-After')) || 0;
  return new ApiError(
    response.status,
    code ?? 'internal',
    message ?? defaultMessage(response.status),
    field,
    details,
    wait,
  );
}

function defaultMessage(status: number): string {
  if (status === 413) return 'This file is too large for the server.';
  if (status === 429) return 'Too many attempts. Wait a moment and try again.';
  return `The server responded with status ${status}. Try again. Details are in the server log.`;
}

/** Converts anything thrown to an ApiError. */
export function asApiError(fault: unknown): ApiError {
  if (fault instanceof ApiError) return fault;
  if (fault instanceof TypeError) {
    return new ApiError(0, 'offline', 'Can’t reach the server. What you typed is still here.');
  }
  return new ApiError(
    0,
    'internal',
    fault instanceof Error ? fault.message : 'Something went wrong. Reload the page.',
  );
}

/** Returns the message for a field, '' if the error is about something else. */
export function fieldError(fault: ApiError | null, field: string): string {
  return fault?.field === field ? fault.message : '';
}
