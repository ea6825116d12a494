import type {AnswerOf, CallOf, Endpoint} from '../contract/endpoint.ts';
import {type OperationId, operations} from '../contract/extensions.ts';
import {AppError} from '../core/error.ts';
import {isJsonObject} from '../core/json.ts';
import {originOf} from '../core/origin.ts';
import {type RetryClock, systemClock, withRetry} from '../net/retry.ts';
import type {Transport} from '../net/transport.ts';
import {withDoubtIfSent} from './doubt.ts';
import {type Refresh, refreshing} from './refreshing.ts';
import {type ClientCall, readAnswer, requestOf} from './request.ts';

/** The call is optional if the operation requires no input. */
type Operation<E extends Endpoint> =
	Record<never, never> extends CallOf<E>
		? (call?: CallOf<E>, signal?: AbortSignal) => Promise<AnswerOf<E>>
		: (call: CallOf<E>, signal?: AbortSignal) => Promise<AnswerOf<E>>;

type UntypedOperation = (call?: ClientCall, signal?: AbortSignal) => Promise<unknown>;

/**
 * The REST API, a function for each row of the contract. A call is checked before it's sent, and throws AppError("usage") if
 * it's invalid. The result is the API's own object, read leniently: any field may be missing. Throws what `refuse` returns
 * for an error of the server, AppError("network") if there is no valid response, and an `AbortError` if the signal aborts.
 */
export type Client = {readonly [Id in OperationId]: Operation<(typeof operations)[Id]>};

type Options = {
	/** Address of the server, with its path if it has one. */
	readonly server: string;
	/** One for each kind of credential; they add the credential, and have time limits of their own. */
	readonly transports: {
		readonly bearer: Transport;
		/** Undefined without an API key; the token is then sent as a bearer token. */
		readonly apiKey?: Transport | undefined;
	};
	/** Clock of the retries, and a listener for their waits. */
	readonly retry?: {
		readonly clock?: RetryClock;
		readonly onWait?: (milliseconds: number, error: unknown) => void;
	};
	/** Gets a new bearer token after a 401. */
	readonly refresh?: Refresh | undefined;
	/** Called after each success with the operation, its path parameters and the result. Must not throw. */
	readonly onAnswer?: (operation: OperationId, params: Readonly<Record<string, string>>, answer: unknown) => void;
};

/** How long a server may be silent, before its response and within one (SAFETY 21). */
const idleTimeoutMs = 60_000;

const timeoutCodes: readonly unknown[] = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];

/**
 * Creates a client. Throws AppError("usage") for an invalid address. A GET, and a write with its idempotency key, is retried
 * up to two times (SAFETY 23); any other write is sent once.
 */
export function createClient({server: address, transports, retry = {}, refresh, onAnswer}: Options): Client {
	const server = originOf(address);
	const bearer = refresh ? refreshing(transports.bearer, refresh) : transports.bearer;

	const run = async (id: OperationId, call: ClientCall, signal: AbortSignal): Promise<unknown> => {
		const row: Endpoint = operations[id];
		const request = requestOf(server, row, call);
		// A token can't be sent as an API key.
		const transport = row.auth === 'bearer' ? bearer : (transports.apiKey ?? bearer);
		const send = () => transport({...request, signal, headersTimeoutMs: idleTimeoutMs, idleTimeoutMs});
		if (!isRepeatable(row, call)) {
			const response = await send().catch((error: unknown) => Promise.reject(withDoubtIfSent(error, id)));
			return readAnswer(row, response, server, id);
		}

		const {clock = systemClock, onWait} = retry;
		const attempt = async () => readAnswer(row, await send(), server);
		return withRetry(attempt, {clock, signal, isRetryable: isTemporary, ...(onWait && {onWait})});
	};

	const functions = (Object.keys(operations) as readonly OperationId[]).map(id => {
		const operation: UntypedOperation = async (call = {}, signal = new AbortController().signal) => {
			const answer = await run(id, call, signal);
			onAnswer?.(id, call.params ?? {}, answer);
			return answer;
		};
		return [id, operation] as const;
	});
	return Object.fromEntries(functions) as Record<OperationId, UntypedOperation> as Client;
}

function isRepeatable({method, idempotencyKey}: Endpoint, {body}: ClientCall): boolean {
	return method === 'GET' || (idempotencyKey !== undefined && isJsonObject(body) && Boolean(body[idempotencyKey]));
}

/** Returns true for a network error that a retry may fix. A timeout isn't: the user has waited long enough. */
function isTemporary(error: unknown): boolean {
	if (!(error instanceof AppError) || error.code !== 'network') {
		return false;
	}

	const {cause} = error;
	return !(cause instanceof Error && 'code' in cause && timeoutCodes.includes(cause.code));
}
