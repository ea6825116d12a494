import {type Handlers, notFound} from '../handlers.ts';
import {refuse} from '../refusal.ts';
import {pageOf} from './page.ts';

export const assessmentHandlers = {
	/** The newest first. Beside what the contract shows: names, times, counts of findings, and the envelope of the page. */
	async listAssessments({query}, {scope, services: {database}}) {
		const {offset, limit} = pageOf(query);
		const inWorkspace = database.selectFrom('assessments').where('workspace_id', '=', scope.workspace.id);
		const {total} = await inWorkspace.select(({fn}) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
		const rows = await inWorkspace
			.selectAll()
			.orderBy('created_at', 'desc')
			.orderBy('id')
			.offset(offset)
			.limit(limit)
			.execute();
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

	/** In the order in which the attacks began. */
	async getAttackSpans({params: {assessmentId}}, {scope, services: {database}}) {
		const id = assessmentId.toLowerCase();
		const assessment = await database
			.selectFrom('assessments')
			.select('id')
			.where('workspace_id', '=', scope.workspace.id)
			.where('id', '=', id)
			.executeTakeFirst();
		if (!assessment) {
			return refuse(404, notFound);
		}

		const rows = await database
			.selectFrom('findings')
			.select('attack')
			.where('assessment_id', '=', id)
			.orderBy('created_at')
			.orderBy('id')
			.execute();
		return rows.map(({attack}) => JSON.parse(attack));
	},
} satisfies Partial<Handlers>;
