import {sql} from 'kysely';
import {type Input, prepared} from '../database/prepared.ts';
import {rejectNotFound} from '../kit/http-error.ts';
import {assertResponseFits, ifItFits, sizeOf} from '../quota/response-size.ts';
import type {Handlers} from './handler.ts';
import {pageOf, totalFrom, totalOf} from './page.ts';

type PageInput = {readonly workspace: string; readonly offset: number; readonly limit: number};

/** One page of a workspace's assessments, each row with the total and with the size of the page. */
const readAssessments = prepared((queries, input: Input<PageInput>) => {
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
} satisfies Partial<Handlers>;
