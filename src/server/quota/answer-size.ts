import type {AliasedSelectQueryBuilder, SelectQueryBuilder} from 'kysely';
import {formatBytes} from '../../core/format.ts';
import type {Queries, Tables} from '../database/tables.ts';
import {refuse} from '../kit/refusal.ts';

/** Most bytes of stored JSON in one answer: with what stands around it a client takes no more than 64 MiB (SAFETY 21). */
const largestAnswer = 50_000_000;

/** What `assertSmall` is given; `pg` writes a sum as text. */
type Size = {readonly answer_bytes: number | string | null};

/**
 * A column for a question that is asked before those rows anyway, so that their size costs no question of its own.
 * `sizes` gives the `bytes` of each row of the answer.
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
 * Refuses (400) an answer that would be too large, before any of it is read: whoever stores large things must not bring the
 * server down by asking for many of them. `less` is what to ask for instead, as a sentence.
 */
export function assertSmall({answer_bytes}: Size, less: string): void {
	const bytes = Number(answer_bytes);
	if (bytes > largestAnswer) {
		refuse(400, `The response would have ${formatBytes(bytes)}. ${less}`);
	}
}
