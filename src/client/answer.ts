import type {Endpoint} from '../contract/endpoint.ts';
import {missingFields, readLeniently} from '../contract/lenient.ts';
import type {OperationId} from '../contract/operations.ts';
import {notShown} from '../contract/scalars.ts';
import {AppError, isAbort} from '../core/error.ts';
import {type Json, parseJson} from '../core/json.ts';
import {isWebPage, readJson, readText} from '../net/read-body.ts';
import type {TransportResponse} from '../net/transport.ts';
import {leavesDoubt, withDoubt} from './doubt.ts';
import {refuse} from './refusal.ts';

const maxReasonBytes = 1024 * 1024;

const ofAnotherShape = new WeakSet<AppError>();

/** True for the error of a success whose JSON is not what the contract says. */
export function isOfAnotherShape(error: unknown): boolean {
	return error instanceof AppError && ofAnotherShape.has(error);
}

/**
 * What an answer carries, as far as the contract knows its shape. Throws the error of its status, or `network` where a
 * success is not what the contract says; then a write may have been done all the same, and the hint says so. `once` is
 * the operation of a write that is not sent again by itself: its hint says that of a server's failure, too.
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

/** The body of an error; nothing where it breaks off or is too large, because the status says enough. */
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
			missing.length > 0 ? `without ${listed(missing)}` : `with ${kindOf(json)} instead of ${wanted(schema)}`;
		const error = new AppError('network', `${from} answered ${what}.`, {
			hint: 'Check the URL, or update service: the server may have another version.',
			permanent: true,
		});
		ofAnotherShape.add(error);
		throw error;
	}

	return value;
}

/** Whatever came as JSON; nothing where there is nothing, or bytes of another format. Throws for a web page. */
async function readAny(response: TransportResponse, from: string): Promise<unknown> {
	const text = await readText(response, {from});
	const isData = parseJson(text) !== undefined || isWebPage(response.headers, text);
	return isData ? await readJson({headers: response.headers, body: pieceOf(text)}, {from}) : undefined;
}

async function* pieceOf(text: string): AsyncGenerator<Uint8Array> {
	yield new TextEncoder().encode(text);
}

const mostNamed = 5;

/** “id, state, and 3 more”. */
function listed(names: readonly string[]): string {
	const more = names.length - mostNamed;
	const shown = more > 0 ? [...names.slice(0, mostNamed), `${more} more`] : names;
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
