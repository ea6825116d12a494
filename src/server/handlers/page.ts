import type {SelectQueryBuilder} from 'kysely';
import type {Queries} from '../database/tables.ts';
import {refuse, refuseInvalid} from '../kit/http-error.ts';
import {findProject} from '../kit/scope.ts';

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

type Page<Row> = {items: Row[]; total: number; page: number; page_size: number};

/** The page that is asked for of `rows`, in an order, and how many rows there are in all. */
export async function readPage<DB, From extends keyof DB, Row>(
	asked: Asked,
	rows: SelectQueryBuilder<DB, From, Row>,
	inOrder: (rows: SelectQueryBuilder<DB, From, Row>) => SelectQueryBuilder<DB, From, Row>,
): Promise<Page<Row>> {
	const {offset, limit} = pageOf(asked);
	const {total} = await rows
		.clearSelect()
		.select(({fn}) => fn.countAll<number>().as('total'))
		.$castTo<{readonly total: number | string}>()
		.executeTakeFirstOrThrow();
	const items = await inOrder(rows).offset(offset).limit(limit).execute();
	return {items, total: Number(total), page: asked.page, page_size: asked.page_size};
}

/** The id of a project by its slug or UUID; undefined where none is given. Refuses (404) one that is not there. */
export async function projectIdOf(
	queries: Queries,
	workspaceId: string,
	project: string | null | undefined,
): Promise<string | undefined> {
	if (!project) {
		return undefined;
	}

	const found = await findProject(queries, workspaceId, project);
	return found?.id ?? refuse(404, `Project not found in this workspace: “${project}”.`);
}

function check(name: string, value: number, most: number): void {
	if (value < 1 || value > most) {
		const msg = `is between 1 and ${most}`;
		refuseInvalid([{loc: ['query', name], msg, type: 'out_of_range'}]);
	}
}
