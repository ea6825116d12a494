import type {AliasedSelectQueryBuilder, SelectQueryBuilder} from 'kysely';
import {formatBytes} from '../../core/format.ts';
import type {Queries, Tables} from '../database/tables.ts';
import {reject} from '../kit/http-error.ts';

/**
 * Maximum bytes of stored JSON in one response. Including the rest of the response, a client accepts at most 64 MiB
 * (SAFETY 21).
 */
const maxResponseBytes = 50_000_000;

/** The argument of `assertResponseFits`. `pg` returns a sum as text. */
type Size = {readonly answer_bytes: number | string | null};

/**
 * A column with the total size of some rows, for a query that runs before they are read, so that the size needs no
 * query of its own. `sizes` selects the `bytes` of each row.
 */
export function sizeOf<From extends keyof Tables>(
	queries: Queries,
	sizes: SelectQueryBuilder<Tables, From, {bytes: number}>,
): AliasedSelectQueryBuilder<Size, 'answer_bytes'> {
	return queries
		.selectFrom(sizes.as('answer'))
		.select(({fn}) => fn.sum<Size['answer_bytes']>('answer.bytes').as('answer_bytes'))
		.as('answer_bytes');
}

/**
 * Rejects (400) a response that would be too large, before any of it is read, so that large stored values can't exhaust
 * the server. `less` is a sentence that suggests a smaller request.
 */
export function assertResponseFits({answer_bytes}: Size, less: string): void {
	const bytes = Number(answer_bytes);
	if (bytes > maxResponseBytes) {
		reject(400, `The response would have ${formatBytes(bytes)}. ${less}`);
	}
}
