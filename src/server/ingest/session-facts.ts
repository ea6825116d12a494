import * as z from 'zod/mini';
import {sessionSchema} from '../../contract/resources/session.ts';
import {isUuid} from '../../core/uuid.ts';
import {isGeneration, modelOf} from './generation.ts';
import {longestTitle, objectAt, textAt, valueAt, wordAt} from './read-attributes.ts';
import {type Touched, toTime} from './store-spans.ts';

/** What spans say of a session itself: of each field the span that ended last counts. */
export const factNames = [
	'agent',
	'model',
	'title',
	'preview_text',
	'origin',
	'visibility',
	'labels',
	'runtime_id',
	'archived_at',
	'frozen_by',
] as const;

export type FactName = (typeof factNames)[number];
export type Facts = Readonly<Partial<Record<FactName, string>>>;

/** Longest preview of a session, in characters. */
const longestPreview = 200;

const labelsSchema = z.record(z.string(), z.array(z.string()));

/** What one span says of its session, as the table has it. `asked` is what the user said in it last. */
export function factsOf({span, type}: Touched, asked: string | undefined): Facts {
	const {attributes, endedAt} = span;
	const labels = objectAt(attributes, 'service.session.labels');
	const runtime = textAt(attributes, 'service.runtime.id')?.toLowerCase();
	const isArchived = valueAt(attributes, 'service.session.archived') === true;
	return {
		agent: textAt(attributes, 'gen_ai.agent.name'),
		model: isGeneration(type, attributes) ? modelOf(attributes) : undefined,
		title: textAt(attributes, 'service.session.title')?.slice(0, longestTitle),
		preview_text: asked?.trim().slice(0, longestPreview) || undefined,
		origin: wordAt(attributes, 'service.session.origin', ['user', 'eval', 'worker']),
		visibility: wordAt(attributes, 'service.session.visibility', sessionSchema.shape.visibility.options),
		labels: labels && z.safeParse(labelsSchema, labels).success ? JSON.stringify(labels) : undefined,
		runtime_id: runtime !== undefined && isUuid(runtime) ? runtime : undefined,
		archived_at: isArchived ? toTime(endedAt) : undefined,
		frozen_by: wordAt(attributes, 'service.session.frozen_by', ['evaluation', 'user']),
	};
}
