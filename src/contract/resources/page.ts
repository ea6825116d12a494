import * as z from 'zod/mini';
import {defaultsTo, maybe} from '../scalars.ts';

const pageFields = {page: defaultsTo(z.int(), 1), page_size: defaultsTo(z.int(), 50)};

/** The requested page of a list. */
export const pageQuerySchema = z.strictObject(pageFields);

/** The requested page of a workspace's list, optionally of one project. */
export const projectPageQuerySchema = z.strictObject({
	...pageFields,
	project: maybe(z.string()).check(z.describe('Slug or UUID of a project; lists only its entries.')),
});

/** One page of a list; `total` counts the entries of all pages. */
export const pageOf = <Entry extends z.ZodMiniType>(entry: Entry) =>
	z.looseObject({items: z.array(entry), total: z.int(), page: z.int(), page_size: z.int()});
