import * as z from 'zod/mini';
import {countArgument} from './argument-types.ts';

/** The most entries of a page. */
const maxPageSize = 200;

/** The flags of a list with pages. */
export const pageFlags = {page: z.optional(countArgument()), pageSize: z.optional(countArgument(maxPageSize))};

export const pageHelp = {
	page: 'page number (default 1)',
	pageSize: `entries per page, 1 to ${maxPageSize} (default 50)`,
};

type Flags = {readonly page?: number | undefined; readonly pageSize?: number | undefined};

export function pageQuery({page, pageSize}: Flags): {readonly page?: number; readonly page_size?: number} {
	return {...(page !== undefined && {page}), ...(pageSize !== undefined && {page_size: pageSize})};
}

/** Returns how to see the next page if this one is full: the API doesn't say whether there is one. `line` is the command. */
export function pageNotes(line: string, {page = 1, pageSize = 50}: Flags, shown: number): readonly string[] {
	const size = pageSize === 50 ? '' : ` --page-size ${pageSize}`;
	return shown > 0 && shown >= pageSize ? [`There may be more: \`${line} --page ${page + 1}${size}\``] : [];
}

/** Returns the text of an empty page. `next` is what to do if nothing is listed at all. */
export function emptyPage(names: string, {page = 1}: Flags, next: string): string {
	return page > 1 ? `No ${names} on page ${page}.` : `No ${names} yet. ${next}`;
}
