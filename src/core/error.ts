import {redact, redactKnown} from './secrets/redact.ts';

/** Every way a request of the user can fail, and the exit status that tells a script. */
export const exitStatus = {
	failed: 1,
	usage: 2,
	incomplete: 3,
	auth: 4,
	'not-found': 5,
	network: 6,
	provider: 6,
	budget: 7,
	conflict: 8,
	upgrade: 9,
	interrupted: 130,
} as const;

export type ErrorCode = keyof typeof exitStatus;

type Options = {
	/** The next step, as one imperative sentence. */
	readonly hint?: string;
	readonly cause?: unknown;
	/** How long the server asked us to wait before a retry, in milliseconds. */
	readonly retryAfter?: number;
	/** True if a retry cannot succeed, whatever the code says. */
	readonly permanent?: boolean;
	/** True if the server refuses only for the moment, such as under load. */
	readonly temporary?: boolean;
	/** True if the server is still starting, or loading the model: it is asked again until it is ready. */
	readonly starting?: boolean;
	/** True if the conversation did not fit into the model's context window. */
	readonly overflow?: boolean;
	/** True if the API key itself was rejected, not what it may do. */
	readonly badKey?: boolean;
	/** The origin of the server that a new login would help with. */
	readonly logInTo?: string | undefined;
};

/** A failure that the user can read and act on. Anything else that is thrown is a bug. */
export class AppError extends Error {
	override readonly name = 'AppError';
	readonly code: ErrorCode;
	readonly hint: string | undefined;
	readonly retryAfter: number | undefined;
	readonly permanent: boolean;
	readonly temporary: boolean;
	readonly starting: boolean;
	readonly overflow: boolean;
	readonly badKey: boolean;
	readonly logInTo: string | undefined;

	constructor(code: ErrorCode, message: string, options: Options = {}) {
		super(message, {cause: options.cause});
		this.code = code;
		this.hint = options.hint;
		this.retryAfter = options.retryAfter;
		this.permanent = options.permanent ?? false;
		this.temporary = options.temporary ?? false;
		this.starting = options.starting ?? false;
		this.overflow = options.overflow ?? false;
		this.badKey = options.badKey ?? false;
		this.logInTo = options.logInTo;
	}
}

/** An error for a user or a journal: what happened and what to do, never a stack. */
export type ErrorReport = {readonly code: ErrorCode; readonly message: string; readonly hint?: string};

/**
 * Reports an `AppError` as it is, an abort as an interruption, and any other thrown value as a bug in `service`. Hides
 * what looks like a credential (SAFETY 8).
 */
export function reportError(error: unknown): ErrorReport {
	if (error instanceof AppError) {
		const {code, message, hint} = error;
		return {code, message: redactKnown(message), ...(hint && {hint: redactKnown(hint)})};
	}

	if (isAbort(error)) {
		return {code: 'interrupted', message: 'Interrupted.'};
	}

	// The loader has errors of its own, which say what happened.
	if (error instanceof Error && 'report' in error) {
		return error.report as ErrorReport;
	}

	return {code: 'failed', message: `Something went wrong inside service: ${redact(messageOf(error))}`};
}

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** True for the error of an aborted `AbortSignal`, from any layer. */
export function isAbort(error: unknown): boolean {
	return error instanceof Error && (error.name === 'AbortError' || error.name === 'RequestAbortedError');
}
