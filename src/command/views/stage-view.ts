import {type Lenient, originalOf} from '../../contract/lenient.ts';
import type {Stage} from '../../contract/resources/item.ts';
import {factsPart} from '../render/facts.ts';
import type {Result} from '../result.ts';

/** Returns the submission stage of an item, with its provenance. */
export function stageResult(stage: Lenient<Stage>): Result {
	return {
		kind: 'group',
		parts: [
			factsPart([
				['status', stage.status],
				['stage', stage.id],
				['item', stage.item_id],
				['action', stage.action_id],
				['connection', stage.connection_id],
				['submission', stage.submission_id === null ? 'none yet' : stage.submission_id],
				['project', stage.project_id],
				['organization', stage.organization_id],
				['created', stage.created_at],
				['updated', stage.updated_at],
			]),
			...(stage.provenance ? [provenanceRecord(stage.provenance)] : []),
		],
		data: originalOf(stage),
	};
}

function provenanceRecord(provenance: NonNullable<Lenient<Stage>['provenance']>): Result {
	return factsPart(
		[
			['capability', [provenance.capability_name, provenance.capability_version].filter(Boolean).join('@')],
			['root run', provenance.root_run_id],
			['task', provenance.current_task_id],
			['session', provenance.platform_session_id],
			['runtime', provenance.runtime_id],
			['trace', provenance.trace_id],
			['span', provenance.span_id],
		],
		'Staged by',
	);
}
