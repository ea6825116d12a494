import {parameterViolations, type Violation, violations} from '../contract/check.ts';
import type {Endpoint} from '../contract/endpoint.ts';
import {fillPath, parametersOf} from '../contract/path.ts';
import {encodeQuery, type QueryValues} from '../contract/query.ts';
import {AppError} from '../core/error.ts';
import type {TransportRequest} from '../net/transport.ts';

/** The input of any operation. */
export type ClientCall = {
	readonly params?: Readonly<Record<string, string>>;
	readonly query?: QueryValues;
	readonly body?: unknown;
	readonly contentType?: string;
	readonly contentEncoding?: string;
};

type Wrong = Pick<Violation, 'path' | 'rule'>;

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
