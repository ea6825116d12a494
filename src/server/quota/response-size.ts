import {type SelectQueryBuilder, sql} from 'kysely';
import {formatBytes} from '../../core/format.ts';
import type {Queries, Tables} from '../database/tables.ts';
import {reject} from '../kit/http-error.ts';

/**
 * Maximum bytes of stored JSON in one response. Including the rest of the response, a client accepts at most 64 MiB
 * (SAFETY 21).
 */
const maxResponseBytes = 50_000_000;

/** The total size of a response's rows. `pg` returns a sum as text. */
type Size = {readonly answer_bytes: number | string | null};

/**
 * Returns a query for the total size of some rows, to be joined as `size` to the query that reads them, so that the size
 * needs no question of its own. `sizes` selects the `bytes` of each row.
 */
export function sizeOf<From extends keyof Tables>(
	queries: Queries,
	sizes: SelectQueryBuilder<Tables, From, {bytes: number}>,
) {
	return queries
		.selectFrom(sizes.as('answer'))
		.select(({fn}) => fn.sum<Size['answer_bytes']>('answer.bytes').as('answer_bytes'));
}

/** A column of large values, which are null and not read if the joined `size` is too large. */
export const ifItFits = (column: string) =>
	sql<string>`case when size.answer_bytes <= ${sql.lit(maxResponseBytes)} then ${sql.ref(column)} end`;

/**
 * Rejects (400) a response that is too large, so that large stored values can't exhaust the server. `less` is a sentence
 * that suggests a smaller request.
 */
export function assertResponseFits(row: Size | undefined, less: string): void {
	const bytes = Number(row?.answer_bytes);
	if (bytes > maxResponseBytes) {
		reject(400, `The response would have ${formatBytes(bytes)}. ${less}`);
	}
}
