import * as z from 'zod/mini';
import {dateTime, uuid} from '../scalars.ts';
import {pageOf} from './page.ts';

/** A workflow run in a list. Without the id that its writes require. */
export const runSchema = z.looseObject({
	id: uuid,
	title: z.nullable(z.string()),
	status: z.enum(['pending', 'running', 'completed', 'failed']),
	project_id: uuid,
	project_key: z.string(),
	runtime_id: z.nullable(uuid),
	claimed_by: z.nullable(uuid),
	claimed_at: z.nullable(dateTime),
	created_at: dateTime,
	updated_at: dateTime,
});

export const runsSchema = pageOf(runSchema);

export type Run = z.input<typeof runSchema>;
