import type {SelectQueryBuilder} from 'kysely';
import type {Queries} from '../database/tables.ts';
import {reject, rejectField} from '../kit/http-error.ts';
import {findProject} from '../kit/scope.ts';

/** The specification has no limits for lists; larger pages would be slow. */
const maxPageSize = 200;
const maxPage = 1_000_000;

type PageQuery = {readonly page: number; readonly page_size: number};

/** Returns the offset and limit of a page. Rejects (422) an invalid page. */
export function pageOf({page, page_size}: PageQuery): {readonly offset: number; readonly limit: number} {
	check('page', page, maxPage);
	check('page_size', page_size, maxPageSize);
	return {offset: (page - 1) * page_size, limit: page_size};
}

type Page<Row> = {items: Row[]; total: number; page: number; page_size: number};

/** Returns one page of `rows`, in an order, and the total number of rows. */
export async function readPage<DB, From extends keyof DB, Row>(
	query: PageQuery,
	rows: SelectQueryBuilder<DB, From, Row>,
	inOrder: (rows: SelectQueryBuilder<DB, From, Row>) => SelectQueryBuilder<DB, From, Row>,
): Promise<Page<Row>> {
	const {offset, limit} = pageOf(query);
	const {total} = await rows
		.clearSelect()
		.select(({fn}) => fn.countAll<number>().as('total'))
		.$castTo<{readonly total: number | string}>()
		.executeTakeFirstOrThrow();
	const items = await inOrder(rows).offset(offset).limit(limit).execute();
	return {items, total: Number(total), page: query.page, page_size: query.page_size};
}

/** Returns the id of a project by slug or UUID; undefined if none is given. Rejects (404) an unknown one. */
export async function projectIdOf(
	queries: Queries,
	workspaceId: string,
	project: string | null | undefined,
): Promise<string | undefined> {
	if (!project) {
		return undefined;
	}

	const found = await findProject(queries, workspaceId, project);
	return found?.id ?? reject(404, `Project not found in this workspace: “${project}”.`);
}

function check(name: string, value: number, max: number): void {
	if (value < 1 || value > max) {
		const msg = `must be between 1 and ${max}`;
		rejectField(['query', name], msg, 'out_of_range');
	}
}
