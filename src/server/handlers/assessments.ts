import {type RawBuilder, sql} from 'kysely';
import type {Finding} from '../../contract/resources/finding.ts';
import {prepared, type QueryInput} from '../database/prepared.ts';
import type {Queries} from '../database/tables.ts';
import {toSorted} from '../ingest/airt.ts';
import {rejectNotFound} from '../kit/http-error.ts';
import {assertResponseFits, ifItFits, sizeOf} from '../quota/response-size.ts';
import type {Handlers} from './handler.ts';
import {bareRow, farOffset, findPage, keptTotal, keysOf, pageOf, type SortTerm, sortBy, totalOf} from './page.ts';

type FindingsQuery = {
	readonly [filter: string]: unknown;
	readonly sort_by: keyof typeof columns;
	readonly sort_dir: 'asc' | 'desc';
};

type PageInput = {readonly workspace: string; readonly offset: number; readonly limit: number};

const assessmentOrder = [sortBy('assessments.created_at', 'desc'), sortBy('assessments.id')];

/** Selects assessments, each with the total of its list and the size of the page. */
function selectAssessments(queries: Queries, ids: RawBuilder<string>, pageTotal: RawBuilder<number | string>) {
	const page = queries.selectFrom('assessments').where('assessments.id', 'in', ids);
	const sizes = page.select(sql<number>`octet_length(detail) + octet_length(name) + octet_length(status)`.as('bytes'));
	const size = sizeOf(queries, sizes).select(pageTotal.as('page_total'));
	return page
		.innerJoin(size.as('size'), join => join.onTrue())
		.select(['id', 'project_id', 'created_at', 'updated_at', 'completed_at', 'size.answer_bytes', 'size.page_total'])
		.select((['name', 'status', 'detail'] as const).map(name => ifItFits(name).as(name)))
		.select(() => keptTotal(queries, {list: 'findings', scopeId: sql.ref('assessments.id')}).as('finding_count'))
		.select(keysOf(assessmentOrder))
		.orderBy('created_at', 'desc')
		.orderBy('id');
}

/** A page near the beginning, which is asked for most. */
const readAssessments = prepared((queries, input: QueryInput<PageInput>) => {
	const ids = queries
		.selectFrom('assessments')
		.select('id')
		.where('workspace_id', '=', input('workspace'))
		.orderBy('created_at', 'desc')
		.orderBy('id')
		.offset(input('offset'))
		.limit(input('limit'));
	const total = keptTotal(queries, {list: 'assessments', scopeId: input('workspace')});
	return selectAssessments(queries, sql`${ids}`, sql`${total}`);
});

export const assessmentHandlers = {
	/** Newest first. Adds names, times, finding counts and the page to what the contract requires. */
	async listAssessments({query}, context) {
		const {database} = context.services;
		const workspace = context.scope.workspace.id;
		const {ids, pageTotal, close} = await findPage(context, query, {
			matches: [database.selectFrom('assessments').where('workspace_id', '=', workspace)],
			count: keptTotal(database, {list: 'assessments', scopeId: workspace}),
			order: assessmentOrder,
		});
		const {offset, limit} = pageOf(query);
		const rows =
			query.cursor || offset >= farOffset
				? await selectAssessments(database, ids, pageTotal).execute()
				: await readAssessments(database, {workspace, offset, limit});
		assertResponseFits(rows[0], 'Use a smaller `page_size`.');
		const {items, ...page} = await close(rows);
		return {
			...page,
			items: items.map(bareRow).map(({answer_bytes: _, detail, finding_count, ...row}) => ({
				sandbox: null,
				...JSON.parse(detail),
				...row,
				finding_count: Number(finding_count),
			})),
		};
	},

	/** In the order in which the attacks started. */
	async getAttackSpans({params: {assessmentId}}, {scope, services: {database}}) {
		const id = assessmentId.toLowerCase();
		const attacks = database.selectFrom('findings').where('assessment_id', '=', id);
		const size = sizeOf(database, attacks.select(sql<number>`octet_length(attack)`.as('bytes')));
		const rows = await database
			.selectFrom('assessments')
			.leftJoin('findings', 'findings.assessment_id', 'assessments.id')
			.innerJoin(size.as('size'), join => join.onTrue())
			.select(['findings.id', 'size.answer_bytes', ifItFits('findings.attack').as('attack')])
			.where('assessments.workspace_id', '=', scope.workspace.id)
			.where('assessments.id', '=', id)
			.orderBy('findings.created_at')
			.orderBy('findings.id')
			.execute();
		if (rows.length === 0) {
			return rejectNotFound();
		}

		assertResponseFits(rows[0], 'Read its findings page by page instead.');
		// An assessment without attacks has a row of its own.
		return rows.filter(row => row.id !== null).map(({attack}) => JSON.parse(attack));
	},

	/** Rows without a sort value come last; equal rows are newest first. */
	async listFindings({query}, context) {
		const {scope, services} = context;
		const {database} = services;
		let findings = database.selectFrom('findings').where('findings.project_id', '=', scope.project.id);
		let isFiltered = false;
		for (const [name, column] of Object.entries(filters)) {
			const value = query[name];
			if (typeof value === 'string') {
				findings = findings.where(column, '=', name === 'assessment_id' ? value.toLowerCase() : toSorted(value));
				isFiltered = true;
			}
		}

		const count = isFiltered
			? findings.select(totalOf)
			: keptTotal(database, {list: 'findings', scopeId: scope.project.id});
		const list = {matches: [findings], order: sortsOf(query, isFiltered), count};
		const {ids, pageTotal, order, keys, close} = await findPage(context, query, list);
		const page = database
			.selectFrom('findings')
			.innerJoin('assessments', 'assessments.id', 'findings.assessment_id')
			.where('findings.id', 'in', ids);
		const sizes = page.select(sql<number>`octet_length(findings.detail) + octet_length(assessments.name)`.as('bytes'));
		const size = sizeOf(database, sizes).select(pageTotal.as('page_total'));
		const rows = await order
			.reduce((sorted, term) => sorted.orderBy(term), page)
			.innerJoin(size.as('size'), join => join.onTrue())
			.select(['size.answer_bytes', 'size.page_total'])
			.select([ifItFits('findings.detail').as('detail'), ifItFits('assessments.name').as('assessment_name')])
			.select(keys)
			.execute();
		assertResponseFits(rows[0], 'Use a smaller `page_size`.');
		const {items, ...answer} = await close(rows);
		return {...answer, findings: items.map(toFinding)};
	},

	async getFinding({params: {findingId}}, {scope, services: {database}}) {
		const row = await database
			.selectFrom('findings')
			.innerJoin('assessments', 'assessments.id', 'findings.assessment_id')
			.select(['findings.detail', 'assessments.name as assessment_name'])
			.where('findings.workspace_id', '=', scope.workspace.id)
			.where('findings.id', '=', findingId.toLowerCase())
			.executeTakeFirst();
		return row ? toFinding(row) : rejectNotFound();
	},
} satisfies Partial<Handlers>;

/** The columns behind the contract's sort keys. Severities sort by meaning, not by name. */
const columns = {
	score: 'findings.best_score',
	created_at: 'findings.created_at',
	date: 'findings.created_at',
	updated_at: 'findings.updated_at',
	severity: 'findings.severity_rank',
	attack_name: 'findings.attack_name',
	category: 'findings.category',
} as const;

/**
 * Returns what findings are sorted by: the requested column, then their creation, newest first. With a filter it is named in words
 * that no index has: a database would rather read each finding in this order than sort what the index of the filter has.
 */
function sortsOf(query: FindingsQuery, isFiltered: boolean): readonly SortTerm[] {
	const {sort_by, sort_dir} = query;
	const column = columns[sort_by];
	const term = {...sortBy(column, sort_dir), nullsLast: true} as const;
	const isNewestFirst = column === columns.created_at && sort_dir === 'desc';
	// A filter by the same field leaves nothing to sort, and the index of the filter has the rest in order.
	const isFixed = typeof query[sort_by] === 'string' && sort_by in filters;
	return [
		...(isFixed ? [] : [isFiltered && !isNewestFirst ? {...term, by: unindexed(term.by)} : term]),
		...(column === columns.created_at ? [] : [sortBy('findings.created_at', 'desc')]),
		sortBy('findings.id'),
	];
}

/** Returns a value in words that PostgreSQL doesn't simplify, as it does `nullif(value, null)`, so that it finds no index. */
const unindexed = (value: SortTerm['by']) => sql`case when ${value} is null then null else ${value} end`;

/** The list's filters, which the contract leaves open, and their columns. */
const filters = {
	assessment_id: 'findings.assessment_id',
	severity: 'findings.severity',
	category: 'findings.category',
	attack_name: 'findings.attack_name',
} as const;

function toFinding({detail, assessment_name}: {readonly detail: string; readonly assessment_name: string}): Finding {
	return {...JSON.parse(detail), assessment_name};
}
