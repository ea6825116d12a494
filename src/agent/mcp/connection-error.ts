import {cutLine} from '../../core/cut-text.ts';
import {AppError, messageOf} from '../../core/error.ts';
import {isJsonObject, parseJson} from '../../core/json.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';

const maxMessage = 300;
/** The code of an error that the SDKs answer with for a session that they don't know. */
const sessionNotFound = -32_001;
/** Words in which servers say that they don't know a session: after a restart, or once it has expired. */
const lostSession =
	/\bsession\b.{0,60}\b(?:not found|expired|invalid|unknown|missing|required|closed|terminated|does(?: not|n't) exist)|\b(?:no|invalid|unknown|missing|expired|bad) (?:valid |active |such )?(?:mcp[- ])?session|server (?:is )?not initialized/i;

/** The status and the body of an HTTP response that was no answer. */
function responseOf(error: unknown): {readonly status: number; readonly body: string} | undefined {
	const {data} = error as {readonly data?: unknown};
	if (!(error instanceof Error) || typeof data !== 'object' || data === null || !('status' in data)) {
		return undefined;
	}

	const {status, text} = data as {readonly status: unknown; readonly text?: unknown};
	return typeof status === 'number' ? {status, body: typeof text === 'string' ? text : ''} : undefined;
}

/** Returns the status of a response that was no answer. */
export function statusOf(error: unknown): number | undefined {
	return responseOf(error)?.status;
}

/**
 * True if a server refused a request because it no longer knows the session, so that the request did not run: 404 to a
 * request of a session (MCP 2025-11-25, Streamable HTTP, session management), another status with words for it, or the SDKs'
 * own error.
 */
export function isSessionLost(error: unknown): boolean {
	const response = responseOf(error);
	if (response) {
		const {status, body} = response;
		return status === 404 || status === 410 || saysSessionIsLost(body);
	}

	const code = error instanceof Error && 'code' in error ? error.code : undefined;
	return code === sessionNotFound && lostSession.test(messageOf(error));
}

/** True for a refusal whose words say that the server doesn't know the session. */
export function saysSessionIsLost(body: string): boolean {
	return lostSession.test(body);
}

/** True if a request was never sent: nothing listened, or the process has ended. */
export function wasNotSent(error: unknown): boolean {
	for (let cause = error; cause instanceof Error; cause = cause.cause) {
		const code = 'code' in cause ? String(cause.code) : '';
		if (/^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|NOT_SENT)$/.test(code)) {
			return true;
		}
	}

	return false;
}

/** Returns the cause of an error about a request that was never sent. */
export function notSent(): Error {
	return Object.assign(new Error('The request was not sent.'), {code: 'NOT_SENT'});
}

/** Returns what went wrong on a connection as a clause, in the words of the server where it has some. Untrusted. */
export function clauseOf(error: unknown, most = maxMessage): string {
	for (let cause = error; cause instanceof Error; cause = cause.cause) {
		if (cause instanceof AppError) {
			return cause.message.replace(/\.$/, '');
		}
	}

	const response = responseOf(error);
	if (response) {
		const said = wordsIn(response.body);
		return `it answered with status ${response.status}${said && `: ${said}`}`;
	}

	const code = error instanceof Error && 'code' in error ? error.code : undefined;
	if (typeof code === 'number') {
		return oneLine(messageOf(error), most);
	}

	if (code === 'REQUEST_TIMEOUT') {
		const {timeout} = (error as {readonly data?: {readonly timeout?: number}}).data ?? {};
		return `it did not answer${timeout ? ` within ${timeout / 1000} s` : ''}`;
	}

	const message = messageOf(error);
	// The SDK prints what it expected as JSON of many lines.
	const isDump =
		(error instanceof Error && error.name === 'ZodError') || /^\s*\[?\s*\{|Invalid result for/.test(message);
	return isDump ? 'its answer is not in the shape of the protocol' : oneLine(message);
}

/** Returns what the body of a response says: the message of an error, or its first line of text; '' for a page. */
function wordsIn(body: string): string {
	const value = parseJson(body);
	const {error, message, detail, error_description: description} = isJsonObject(value) ? value : {};
	const said = [isJsonObject(error) ? error['message'] : error, description, message, detail].find(
		each => typeof each === 'string' && each.trim() !== '',
	);
	if (typeof said === 'string') {
		return oneLine(said);
	}

	const [, title = ''] = /<title>([^<]{1,300})/i.exec(body) ?? [];
	return oneLine(/^\s*</.test(body) ? title : (body.trim().split('\n')[0] ?? ''));
}

function oneLine(text: string, most = maxMessage): string {
	return cutLine(safeLine(text.slice(0, 2 * most)), most).replace(/\.$/, '');
}

/** Returns the error that asks for a login, if that is the cause of another one. */
export function loginNeeded(error: unknown): AppError | undefined {
	for (let cause = error; cause instanceof Error; cause = cause.cause) {
		if (cause instanceof AppError && cause.code === 'auth') {
			return cause;
		}
	}

	return undefined;
}

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
