import {sql} from 'kysely';
import {rejectNotFound} from '../kit/http-error.ts';
import {assertResponseFits, sizeOf} from '../quota/response-size.ts';
import type {Handlers} from './handler.ts';
import {pageOf} from './page.ts';

export const assessmentHandlers = {
	/** Newest first. Adds names, times, finding counts and the page to what the contract requires. */
	async listAssessments({query}, {scope, services: {database}}) {
		const {offset, limit} = pageOf(query);
		const inWorkspace = database.selectFrom('assessments').where('workspace_id', '=', scope.workspace.id);
		const page = inWorkspace.orderBy('created_at', 'desc').orderBy('id').offset(offset).limit(limit);
		const sizes = page.select(
			sql<number>`octet_length(detail) + octet_length(name) + octet_length(status)`.as('bytes'),
		);
		const {total, ...size} = await inWorkspace
			.select(({fn}) => [fn.countAll<number>().as('total'), sizeOf(database, sizes)])
			.executeTakeFirstOrThrow();
		assertResponseFits(size, 'Use a smaller `page_size`.');
		const rows = await page.selectAll().execute();
		const counts = await database
			.selectFrom('findings')
			.select(({fn}) => ['assessment_id', fn.countAll<number>().as('count')])
			.where('assessment_id', 'in', ['', ...rows.map(({id}) => id)])
			.groupBy('assessment_id')
			.execute();
		const countOf = new Map(counts.map(({assessment_id, count}) => [assessment_id, Number(count)]));
		const items = rows.map(({id, name, status, project_id, created_at, updated_at, completed_at, detail}) => ({
			sandbox: null,
			...JSON.parse(detail),
			id,
			name,
			status,
			project_id,
			finding_count: countOf.get(id) ?? 0,
			created_at,
			updated_at,
			completed_at,
		}));
		return {items, total: Number(total), page: query.page, page_size: query.page_size};
	},

	/** In the order in which the attacks started. */
	async getAttackSpans({params: {assessmentId}}, {scope, services: {database}}) {
		const id = assessmentId.toLowerCase();
		const attacks = database.selectFrom('findings').where('assessment_id', '=', id);
		const sizes = attacks.select(sql<number>`octet_length(attack)`.as('bytes'));
		const assessment = await database
			.selectFrom('assessments')
			.select(['id', sizeOf(database, sizes)])
			.where('workspace_id', '=', scope.workspace.id)
			.where('id', '=', id)
			.executeTakeFirst();
		if (!assessment) {
			return rejectNotFound();
		}

		assertResponseFits(assessment, 'Read its findings page by page instead.');
		const rows = await attacks.select('attack').orderBy('created_at').orderBy('id').execute();
		return rows.map(({attack}) => JSON.parse(attack));
	},
} satisfies Partial<Handlers>;
