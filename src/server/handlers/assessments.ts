import {sql} from 'kysely';
import type {Finding} from '../../contract/resources/finding.ts';
import {prepared, type QueryInput} from '../database/prepared.ts';
import {rejectNotFound} from '../kit/http-error.ts';
import {assertResponseFits, ifItFits, sizeOf} from '../quota/response-size.ts';
import type {Handlers} from './handler.ts';
import {findPage, keptTotal, pageOf, type SortTerm, sortBy, totalFrom, totalOf} from './page.ts';

type FindingsQuery = {readonly sort_by: keyof typeof columns; readonly sort_dir: 'asc' | 'desc'};

type PageInput = {readonly workspace: string; readonly offset: number; readonly limit: number};

/** One page of a workspace's assessments, each row with the total and with the size of the page. */
const readAssessments = prepared((queries, input: QueryInput<PageInput>) => {
	const inWorkspace = queries.selectFrom('assessments').where('workspace_id', '=', input('workspace'));
	const page = inWorkspace.orderBy('created_at', 'desc').orderBy('id').offset(input('offset')).limit(input('limit'));
	const sizes = page.select(sql<number>`octet_length(detail) + octet_length(name) + octet_length(status)`.as('bytes'));
	const total = keptTotal(queries, {list: 'assessments', scopeId: input('workspace')});
	const size = sizeOf(queries, sizes).select(() => total.as('page_total'));
	return page
		.innerJoin(size.as('size'), join => join.onTrue())
		.select(['id', 'project_id', 'created_at', 'updated_at', 'completed_at', 'size.answer_bytes', 'size.page_total'])
		.select((['name', 'status', 'detail'] as const).map(name => ifItFits(name).as(name)))
		.select(() => keptTotal(queries, {list: 'findings', scopeId: sql.ref('assessments.id')}).as('finding_count'));
});

export const assessmentHandlers = {
	/** Newest first. Adds names, times, finding counts and the page to what the contract requires. */
	async listAssessments({query}, {scope, services: {database}}) {
		const {offset, limit} = pageOf(query);
		const workspace = scope.workspace.id;
		const rows = await readAssessments(database, {workspace, offset, limit});
		assertResponseFits(rows[0], 'Use a smaller `page_size`.');
		const items = rows.map(({answer_bytes: _, page_total: __, detail, finding_count, ...row}) => ({
			sandbox: null,
			...JSON.parse(detail),
			...row,
			finding_count: Number(finding_count),
		}));
		const count = keptTotal(database, {list: 'assessments', scopeId: workspace});
		return {items, total: await totalFrom(rows, offset, count), page: query.page, page_size: query.page_size};
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
	async listFindings({query}, {scope, services: {database}}) {
		let findings = database.selectFrom('findings').where('findings.project_id', '=', scope.project.id);
		let isFiltered = false;
		for (const [name, column] of Object.entries(filters)) {
			const value = query[name];
			if (typeof value === 'string') {
				findings = findings.where(column, '=', name === 'assessment_id' ? value.toLowerCase() : value);
				isFiltered = true;
			}
		}

		const count = isFiltered
			? findings.select(totalOf)
			: keptTotal(database, {list: 'findings', scopeId: scope.project.id});
		const {ids, pageTotal, offset, total, order} = await findPage(query, findings, {order: sortsOf(query), count});
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
			.execute();
		assertResponseFits(rows[0], 'Use a smaller `page_size`.');
		return {
			findings: rows.map(toFinding),
			total: rows.length > 0 || total === undefined ? await totalFrom(rows, offset, count) : total,
			page: query.page,
			page_size: query.page_size,
		};
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

/** Returns what findings are sorted by: the requested column, then their creation, newest first. */
function sortsOf({sort_by, sort_dir}: FindingsQuery): readonly SortTerm[] {
	const column = columns[sort_by];
	return [
		{...sortBy(column, sort_dir), nullsLast: true},
		...(column === columns.created_at ? [] : [sortBy('findings.created_at', 'desc')]),
		sortBy('findings.id'),
	];
}

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
