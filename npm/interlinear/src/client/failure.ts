import { InterlinearError } from "../errors.js";
import type { Problem } from "../server/api.js";

/** What a server refused, or why it could not be reached. */
export class ClientError extends InterlinearError {
  /** The status of the answer; `undefined` if there was none. */
  readonly status: number | undefined;

  constructor(problem: Pick<Problem, "code" | "detail" | "cure"> & { status?: number }, options?: ErrorOptions) {
    super(problem.code, problem.detail, problem.cure, options);
    this.name = "ClientError";
    this.status = problem.status;
  }
}

/** An answer that is not what was asked for. */
export async function refused(response: Response): Promise<ClientError> {
  const { status } = response;
  // A proxy has problems of its own, in words of its own.
  const {
    code = "refused",
    detail,
    title,
    cure = "Check the address.",
  } = problemIn(await response.text().catch(() => ""));
  return new ClientError({
    code,
    detail: detail ?? title ?? `the server answered with status ${status}`,
    cure,
    status,
  });
}

function problemIn(text: string): Partial<Problem> {
  try {
    return Object(JSON.parse(text)) as Partial<Problem>;
  } catch {
    return {};
  }
}

/** An answer that no server of this package gives, though it says that all is well. */
export function strange({ status }: Response, cause?: unknown): ClientError {
  const detail = "the answer is none of a server of Interlinear's";
  return new ClientError({ code: "refused", detail, cure: "Check the address.", status }, { cause });
}

/** An answer whose end did not come. */
export function brokenOff(baseUrl: string, cause: unknown): ClientError {
  const detail = `the answer of ${baseUrl} broke off: ${(cause as Error).message}`;
  return new ClientError({ code: "unreachable", detail, cure: "See that the server runs, and ask again." }, { cause });
}

export function unreachable(baseUrl: string, cause: unknown): ClientError {
  const detail = `${baseUrl} cannot be reached: ${(cause as Error).message}`;
  return new ClientError(
    { code: "unreachable", detail, cure: "See that the server runs, and check its address." },
    { cause },
  );
}
