import type {SelectQueryBuilder} from 'kysely';
import {formatBytes} from '../core/format.ts';
import type {Queries, Tables} from './database/tables.ts';
import {refuse} from './refusal.ts';

/** Most bytes of stored JSON in one answer: with what stands around it a client takes no more than 64 MiB (SAFETY 21). */
const largestAnswer = 50_000_000;

/**
 * Refuses (400) an answer that would be too large, before any of it is read: whoever stores large things must not bring the
 * server down by asking for many of them. `sizes` gives the `bytes` of each row of the answer; `less` is what to ask
 * for instead, as a sentence.
 */
export async function boundAnswer<From extends keyof Tables>(
	queries: Queries,
	sizes: SelectQueryBuilder<Tables, From, {bytes: number}>,
	less: string,
): Promise<void> {
	const {total} = await queries
		.selectFrom(sizes.as('answer'))
		.select(({fn}) => fn.sum<number | null>('answer.bytes').as('total'))
		.executeTakeFirstOrThrow();
	if (Number(total) > largestAnswer) {
		refuse(400, `The answer would have ${formatBytes(Number(total))}. ${less}`);
	}
}
