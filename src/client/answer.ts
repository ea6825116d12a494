import type {Endpoint} from '../contract/endpoint.ts';
import type {OperationId} from '../contract/extensions.ts';
import {missingFields, readLeniently} from '../contract/lenient.ts';
import {notShown} from '../contract/scalars.ts';
import {AppError, isAbort} from '../core/error.ts';
import {type Json, parseJson} from '../core/json.ts';
import {isWebPage, readJson, readText} from '../net/read-body.ts';
import type {TransportResponse} from '../net/transport.ts';
import {leavesDoubt, withDoubt} from './doubt.ts';
import {refuse} from './refusal.ts';

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

const maxNamed = 5;

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
