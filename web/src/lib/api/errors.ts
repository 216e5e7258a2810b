// What went wrong, as a screen wants it: a code to decide by, a sentence to
// show, and the field it is about when there is one.

export class ApiError extends Error {
  constructor(
    readonly status: number, // 0 when no answer came
    readonly code: string,
    message: string,
    readonly field: string | null = null,
    readonly details: Record<string, unknown> = {},
    readonly retryAfter = 0, // seconds, with rate_limited
  ) {
    super(message);
    this.name = 'ApiError';
  }

  /** The server did not answer, so that the same request may work later. */
  get isAway(): boolean {
    return this.code === 'offline' || [502, 503, 504].includes(this.status);
  }
}

interface ErrorBody {
  error?: { code?: string; message?: string; details?: Record<string, unknown> };
}

/** Makes one of an answer that is not 2xx. */
export function errorOf(response: Response, body: unknown): ApiError {
  const { code, message, details = {} } = (body as ErrorBody | undefined)?.error ?? {};
  const field = typeof details.field === 'string' ? details.field : null;
  const wait = Number(response.headers.get('Retry-After')) || 0;
  return new ApiError(
    response.status,
    code ?? 'internal',
    message ?? unexplained(response.status),
    field,
    details,
    wait,
  );
}

function unexplained(status: number): string {
  if (status === 413) return 'This is larger than the server takes.';
  if (status === 429) return 'That was too often. Wait a moment and try again.';
  return `The server answered with status ${status}. Try again; its log says more.`;
}

/** Makes one of whatever was thrown. */
export function asApiError(fault: unknown): ApiError {
  if (fault instanceof ApiError) return fault;
  if (fault instanceof TypeError) {
    return new ApiError(
      0,
      'offline',
      'The server can’t be reached. Check that it is running, then try again.',
    );
  }
  return new ApiError(
    0,
    'internal',
    fault instanceof Error ? fault.message : 'Something went wrong in the page.',
  );
}

/** The message for a field of a form, or ''. */
export function fieldError(fault: ApiError | null, field: string): string {
  return fault?.field === field ? fault.message : '';
}
