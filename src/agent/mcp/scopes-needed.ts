import {AppError} from '../../core/error.ts';

/** The server refused a request because the login lacks scopes. The message is a clause. */
export class ScopesNeeded extends AppError {
	/** Those that a new login should ask for; none if it would not help. */
	readonly scopes: readonly string[];

	constructor(message: string, hint: string, scopes: readonly string[]) {
		super('auth', message, {hint});
		this.scopes = scopes;
	}
}

/** Returns the refusal that is the cause of an error. */
export function scopesNeeded(error: unknown): ScopesNeeded | undefined {
	for (let cause = error; cause instanceof Error; cause = cause.cause) {
		if (cause instanceof ScopesNeeded) {
			return cause;
		}
	}

	return undefined;
}
