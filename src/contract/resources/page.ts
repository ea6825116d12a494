import * as z from 'zod/mini';
import {defaultsTo, maybe} from '../scalars.ts';

/** The requested part of a list: a page by its number, or the one that a cursor of an earlier answer leads to. */
export const pageFields = {
	page: defaultsTo(z.int(), 1),
	page_size: defaultsTo(z.int(), 50),
	cursor: maybe(z.string()).check(z.describe('`next_cursor` or `previous_cursor` of an answer, instead of `page`.')),
};

/** The requested page of a list. */
export const pageQuerySchema = z.strictObject(pageFields);

/** The requested page of a workspace's list, optionally of one project. */
export const projectPageQuerySchema = z.strictObject({
	...pageFields,
	project: maybe(z.string()).check(z.describe('Slug or UUID of a project; lists only its entries.')),
});

/** Where a list continues, on our server. Entries that are added or removed meanwhile move no other to another page. */
export const cursorFields = {
	next_cursor: maybe(z.string()).check(z.describe('Of the next page, or null.')),
	previous_cursor: maybe(z.string()).check(z.describe('Of the page before, or null.')),
};

/** One page of a list; `total` counts the entries of all pages. */
export const pageOf = <Entry extends z.ZodMiniType>(entry: Entry) =>
	z.looseObject({items: z.array(entry), total: z.int(), page: z.int(), page_size: z.int(), ...cursorFields});
