import {sql} from 'kysely';
import type {Finding} from '../../contract/resources/finding.ts';
import {prepared, type QueryInput} from '../database/prepared.ts';
import {rejectNotFound} from '../kit/http-error.ts';
import {assertResponseFits, ifItFits, sizeOf} from '../quota/response-size.ts';
import type {Handlers} from './handler.ts';
import {pageOf, totalFrom, totalOf} from './page.ts';

type PageInput = {readonly workspace: string; readonly offset: number; readonly limit: number};

/** One page of a workspace's assessments, each row with the total and with the size of the page. */
const readAssessments = prepared((queries, input: QueryInput<PageInput>) => {
	const inWorkspace = queries.selectFrom('assessments').where('workspace_id', '=', input('workspace'));
	const page = inWorkspace.orderBy('created_at', 'desc').orderBy('id').offset(input('offset')).limit(input('limit'));
	const sizes = page.select(sql<number>`octet_length(detail) + octet_length(name) + octet_length(status)`.as('bytes'));
	const size = sizeOf(queries, sizes).select(() => inWorkspace.select(totalOf).as('page_total'));
	return page
		.innerJoin(size.as('size'), join => join.onTrue())
		.select(['id', 'project_id', 'created_at', 'updated_at', 'completed_at', 'size.answer_bytes', 'size.page_total'])
		.select((['name', 'status', 'detail'] as const).map(name => ifItFits(name).as(name)))
		.select(({selectFrom}) =>
			selectFrom('findings')
				.select(({fn}) => fn.countAll<number>().as('count'))
				.whereRef('assessment_id', '=', 'assessments.id')
				.as('finding_count'),
		);
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
		const count = {
			executeTakeFirstOrThrow: () =>
				database
					.selectFrom('assessments')
					.where('workspace_id', '=', workspace)
					.select(totalOf)
					.executeTakeFirstOrThrow(),
		};
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
		const {offset, limit} = pageOf(query);
		let findings = database
			.selectFrom('findings')
			.innerJoin('assessments', 'assessments.id', 'findings.assessment_id')
			.where('findings.project_id', '=', scope.project.id);
		for (const [name, column] of Object.entries(filters)) {
			const value = query[name];
			if (typeof value === 'string') {
				findings = findings.where(column, '=', name === 'assessment_id' ? value.toLowerCase() : value);
			}
		}

		const page = findings
			.orderBy(columns[query.sort_by], order => (query.sort_dir === 'asc' ? order.asc() : order.desc()).nullsLast())
			.orderBy('findings.created_at', 'desc')
			.orderBy('findings.id')
			.offset(offset)
			.limit(limit);
		const sizes = page.select(sql<number>`octet_length(findings.detail) + octet_length(assessments.name)`.as('bytes'));
		const count = findings.select(totalOf);
		const size = sizeOf(database, sizes).select(() => count.as('page_total'));
		const rows = await page
			.innerJoin(size.as('size'), join => join.onTrue())
			.select(['size.answer_bytes', 'size.page_total'])
			.select([ifItFits('findings.detail').as('detail'), ifItFits('assessments.name').as('assessment_name')])
			.execute();
		assertResponseFits(rows[0], 'Use a smaller `page_size`.');
		const total = await totalFrom(rows, offset, count);
		return {findings: rows.map(toFinding), total, page: query.page, page_size: query.page_size};
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
