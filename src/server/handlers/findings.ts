import {sql} from 'kysely';
import type {Finding} from '../../contract/resources/finding.ts';
import {rejectNotFound} from '../kit/http-error.ts';
import {assertResponseFits, ifItFits, sizeOf} from '../quota/response-size.ts';
import type {Handlers} from './handler.ts';
import {pageOf, totalFrom, totalOf} from './page.ts';

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

export const findingHandlers = {
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

function toFinding({detail, assessment_name}: {readonly detail: string; readonly assessment_name: string}): Finding {
	return {...JSON.parse(detail), assessment_name};
}
