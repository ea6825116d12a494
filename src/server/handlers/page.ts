import {refuseInvalid} from '../refusal.ts';

/** The specification names no bounds for lists; larger pages than this one would be slow to make and to read. */
const largestPage = 200;
const lastPage = 1_000_000;

type Asked = {readonly page: number; readonly page_size: number};

/** How many rows to leave out and to give. Refuses pages that cannot be with 422. */
export function pageOf({page, page_size}: Asked): {readonly offset: number; readonly limit: number} {
	check('page', page, lastPage);
	check('page_size', page_size, largestPage);
	return {offset: (page - 1) * page_size, limit: page_size};
}

function check(name: string, value: number, most: number): void {
	if (value < 1 || value > most) {
		const msg = `is between 1 and ${most}`;
		refuseInvalid([{loc: ['query', name], msg, type: 'out_of_range'}]);
	}
}
