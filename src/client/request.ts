import {parameterViolations, type Violation, violations} from '../contract/check.ts';
import type {Endpoint} from '../contract/endpoint.ts';
import type {OperationId} from '../contract/extensions.ts';
import {missingFields, readLeniently} from '../contract/lenient.ts';
import {fillPath, parametersOf} from '../contract/path.ts';
import {encodeQuery, type QueryValues} from '../contract/query.ts';
import {notShown} from '../contract/scalars.ts';
import {AppError, isAbort} from '../core/error.ts';
import {type Json, parseJson} from '../core/json.ts';
import {isWebPage, readJson, readText} from '../net/read-body.ts';
import type {TransportRequest, TransportResponse} from '../net/transport.ts';
import {leavesDoubt, withDoubt} from './doubt.ts';
import {refuse} from './refusal.ts';

/** The input of any operation. */
export type ClientCall = {
	readonly params?: Readonly<Record<string, string>>;
	readonly query?: QueryValues;
	readonly body?: unknown;
	readonly contentType?: string;
	readonly contentEncoding?: string;
};

type Wrong = Pick<Violation, 'path' | 'rule'>;

/** Most fields that an error names. */
const maxNamed = 5;

/**
 * Returns the request of a call, without its credential. Throws AppError("usage") with each invalid field and what it must
 * be if the call doesn't match the contract.
 */
export function requestOf(server: string, row: Endpoint, call: ClientCall): TransportRequest {
	const {params = {}, query = {}} = call;
	const wrong = [
		...parametersOf(row.path).flatMap(name => parameterViolations(name, params[name])),
		...(row.query ? violations(row.query, query) : []),
		...(row.body ? violations(row.body, call.body) : []),
		...(row.raw ? rawViolations(row.raw, call) : []),
	];
	if (wrong.length > 0) {
		rejectPartialId(row, params, wrong);
		throw new AppError('usage', sentence(wrong), {hint: 'Nothing was sent. Fix it and try again.'});
	}

	return {
		method: row.method,
		url: `${server}${fillPath(row.path, params)}${encodeQuery(query)}`,
		...contentOf(row, call),
	};
}

/** Throws AppError("usage") if the only fault is a path parameter with the beginning of a UUID. */
function rejectPartialId(row: Endpoint, params: Readonly<Record<string, string>>, wrong: readonly Wrong[]): void {
	const name = parametersOf(row.path).find(each => wrongUuid(each, params[each]));
	const id = params[name ?? ''];
	if (name && wrong.length === 1 && id && /^[\da-f-]{1,35}$/i.test(id)) {
		const noun = name.replace(/Id$/, '');
		throw new AppError('usage', `“${id}” is not a full ${noun} id.`, {
			hint: 'Complete it, or use the full id. Nothing was sent.',
		});
	}
}

function wrongUuid(name: string, value: string | undefined): boolean {
	return parameterViolations(name, value).some(({rule}) => rule === 'must be a UUID');
}

function rawViolations(types: readonly string[], {contentType = '', body}: ClientCall): readonly Wrong[] {
	return [
		...(types.includes(contentType) ? [] : [{path: ['content-type'], rule: `must be one of ${types.join(', ')}`}]),
		...(typeof body === 'string' || body instanceof Uint8Array ? [] : [{path: [], rule: 'must be text or bytes'}]),
	];
}

function sentence(wrong: readonly Wrong[]): string {
	const named = wrong.slice(0, maxNamed).map(({path, rule}) => `${path.join('.') || 'The body'} ${rule}`);
	const more = wrong.length - named.length;
	return `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

function contentOf({body, raw}: Endpoint, call: ClientCall): Pick<TransportRequest, 'headers' | 'body'> {
	const accept = 'application/json';
	if (body) {
		return {headers: {accept, 'content-type': 'application/json'}, body: JSON.stringify(call.body)};
	}

	const {body: bytes, contentType = '', contentEncoding} = call;
	const isRaw = raw && (typeof bytes === 'string' || bytes instanceof Uint8Array);
	const encoding = contentEncoding && {'content-encoding': contentEncoding};
	return isRaw ? {headers: {accept, 'content-type': contentType, ...encoding}, body: bytes} : {headers: {accept}};
}

const maxReasonBytes = 1024 * 1024;

const unexpectedShapes = new WeakSet<AppError>();

/** Returns true for the error of a success whose JSON doesn't match the contract. */
export function isOfAnotherShape(error: unknown): boolean {
	return error instanceof AppError && unexpectedShapes.has(error);
}

/**
 * Returns the body of a response, as far as the contract knows its shape. Throws the error of its status, or
 * AppError("network") if a success doesn't match the contract; its hint says that a write may have been done. `once` is the
 * operation of a write that is never retried: the hint then says so for a server error, too.
 */
export async function readAnswer(
	row: Endpoint,
	response: TransportResponse,
	from: string,
	once?: OperationId,
): Promise<unknown> {
	const {status, headers} = response;
	if (status < 200 || status > 299) {
		const refused = refuse({from, status, headers, text: await readReason(response), now: Date.now()});
		throw once && leavesDoubt(status) ? withDoubt(refused, once) : refused;
	}

	try {
		if (row.result && row.result !== notShown) {
			return await readKnown(row.result, response, from);
		}

		const any = await readAny(response, from);
		return row.result && any;
	} catch (error) {
		throw row.method === 'GET' ? error : withDoubt(error, once);
	}
}

/** Returns the body of an error; nothing if it breaks off or is too large, because the status says enough. */
async function readReason(response: TransportResponse): Promise<string> {
	try {
		return await readText(response, {maxBytes: maxReasonBytes});
	} catch (error) {
		if (isAbort(error)) {
			throw error;
		}

		return '';
	}
}

async function readKnown(schema: NonNullable<Endpoint['result']>, response: TransportResponse, from: string) {
	const json = await readJson(response, {from});
	const value = readLeniently(schema, json);
	const missing = missingFields(schema, value);
	if (value === undefined || missing.length > 0) {
		const what =
			missing.length > 0 ? `a response without ${listed(missing)}` : `${kindOf(json)} instead of ${wanted(schema)}`;
		const error = new AppError('network', `${from} returned ${what}.`, {
			hint: 'Check the URL, or update service: the server may be a newer version.',
			permanent: true,
		});
		unexpectedShapes.add(error);
		throw error;
	}

	return value;
}

/** Returns a body of JSON; undefined if it's empty or has another format. Throws AppError("network") for a web page. */
async function readAny(response: TransportResponse, from: string): Promise<unknown> {
	const text = await readText(response, {from});
	const isData = parseJson(text) !== undefined || isWebPage(response.headers, text);
	return isData ? await readJson({headers: response.headers, body: pieceOf(text)}, {from}) : undefined;
}

async function* pieceOf(text: string): AsyncGenerator<Uint8Array> {
	yield new TextEncoder().encode(text);
}

/** Returns names as “id, state, and 3 more”. */
function listed(names: readonly string[]): string {
	const more = names.length - maxNamed;
	const shown = more > 0 ? [...names.slice(0, maxNamed), `${more} more`] : names;
	return new Intl.ListFormat('en').format(shown);
}

function kindOf(json: Json): string {
	if (json === null) {
		return 'null';
	}

	return Array.isArray(json) ? 'a list' : typeof json === 'object' ? 'an object' : `a ${typeof json}`;
}

function wanted(schema: NonNullable<Endpoint['result']>): string {
	return schema.def.type === 'array' ? 'a list' : 'an object';
}
