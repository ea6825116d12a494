import * as z from 'zod/mini';
import {defaultsTo, maybe} from '../scalars.ts';

const pageFields = {page: defaultsTo(z.int(), 1), page_size: defaultsTo(z.int(), 50)};

/** Which page of a list is asked for. */
export const pageQuerySchema = z.strictObject(pageFields);

/** Which page of a workspace's list, of one project where that is named. */
export const projectPageQuerySchema = z.strictObject({
	...pageFields,
	project: maybe(z.string()).check(z.describe('Slug or UUID of a project: only what belongs to it.')),
});

/** One page of a list; `total` counts the entries of all pages. */
export const pageOf = <Entry extends z.ZodMiniType>(entry: Entry) =>
	z.looseObject({items: z.array(entry), total: z.int(), page: z.int(), page_size: z.int()});
