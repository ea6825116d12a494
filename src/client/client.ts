import type {AnswerOf, CallOf, Endpoint} from '../contract/endpoint.ts';
import {type OperationId, operations} from '../contract/operations.ts';
import {AppError} from '../core/error.ts';
import {isJsonObject} from '../core/json.ts';
import {originOf} from '../core/origin.ts';
import {type RetryClock, systemClock, withRetry} from '../net/retry.ts';
import type {Transport} from '../net/transport.ts';
import {readAnswer} from './answer.ts';
import {withDoubtIfSent} from './doubt.ts';
import {type Refresh, refreshing} from './refreshing.ts';
import {type Call, requestOf} from './request.ts';

/** The call may be left out where the operation takes nothing, or nothing that it needs. */
type Operation<E extends Endpoint> =
	Record<never, never> extends CallOf<E>
		? (call?: CallOf<E>, signal?: AbortSignal) => Promise<AnswerOf<E>>
		: (call: CallOf<E>, signal?: AbortSignal) => Promise<AnswerOf<E>>;

type UntypedOperation = (call?: Call, signal?: AbortSignal) => Promise<unknown>;

/**
 * The REST API, a function for each row of the contract. What is given is checked before a byte is sent: `usage`. What
 * comes back is the API's own object, read leniently: any field may be missing. Throws `AppError` as `refuse` says for a
 * refusal, `network` where no answer came or none of the API, and an `AbortError` for an aborted signal.
 */
export type Client = {readonly [Id in OperationId]: Operation<(typeof operations)[Id]>};

type Options = {
	/** Address of the server; only its origin counts. */
	readonly server: string;
	/** One for each way to prove who calls; they attach the credential, and their own time limits. */
	readonly transports: {
		readonly bearer: Transport;
		/** Left out where there is no API key: the token goes as a bearer then. */
		readonly apiKey?: Transport | undefined;
	};
	/** Time and chance of the retries, and who is told of a wait in milliseconds. */
	readonly retry?: {
		readonly clock?: RetryClock;
		readonly onWait?: (milliseconds: number, error: unknown) => void;
	};
	/** What may be done about a bearer token that is not accepted, before the caller is told. */
	readonly refresh?: Refresh | undefined;
	/** Hears of every call that went well: the operation, the values of its path, and what came back. Must not throw. */
	readonly onAnswer?: (operation: OperationId, params: Readonly<Record<string, string>>, answer: unknown) => void;
};

/** Longest silence of a server in milliseconds, before its answer and in the middle of one (SAFETY 21). */
const silenceLimit = 60_000;

const silences: readonly unknown[] = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];

/**
 * Creates a client; throws `usage` for an address that is none. What may be repeated is tried again up to two times (SAFETY 23): a GET, and a
 * write that carries its idempotency key; whatever else writes is sent once.
 */
export function createClient({server: address, transports, retry = {}, refresh, onAnswer}: Options): Client {
	const server = originOf(address);
	const bearer = refresh ? refreshing(transports.bearer, refresh) : transports.bearer;

	const run = async (id: OperationId, call: Call, signal: AbortSignal): Promise<unknown> => {
		const row: Endpoint = operations[id];
		const request = requestOf(server, row, call);
		// A token is no API key: it goes where tokens go.
		const transport = row.auth === 'bearer' ? bearer : (transports.apiKey ?? bearer);
		const send = () => transport({...request, signal, headersTimeoutMs: silenceLimit, idleTimeoutMs: silenceLimit});
		if (!isRepeatable(row, call)) {
			const response = await send().catch((error: unknown) => Promise.reject(withDoubtIfSent(error, id)));
			return readAnswer(row, response, server, id);
		}

		const {clock = systemClock, onWait} = retry;
		const attempt = async () => readAnswer(row, await send(), server);
		return withRetry(attempt, {clock, signal, isRetryable: isBrief, ...(onWait && {onWait})});
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

function isRepeatable({method, idempotencyKey}: Endpoint, {body}: Call): boolean {
	return method === 'GET' || (idempotencyKey !== undefined && isJsonObject(body) && Boolean(body[idempotencyKey]));
}

/** A failure of the network that a second try may mend. Whoever waited for all of the silence is told now. */
function isBrief(error: unknown): boolean {
	if (!(error instanceof AppError) || error.code !== 'network') {
		return false;
	}

	const {cause} = error;
	return !(cause instanceof Error && 'code' in cause && silences.includes(cause.code));
}
