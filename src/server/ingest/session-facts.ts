import * as z from 'zod/mini';
import {sessionSchema} from '../../contract/resources/session.ts';
import {isUuid} from '../../core/uuid.ts';
import {isGeneration, modelOf} from './generation.ts';
import {maxTitleLength, objectAt, textAt, valueAt, wordAt} from './read-attributes.ts';
import {type Touched, toTime} from './store-spans.ts';

/** What spans say about the session itself. For each field, the span that ended last counts. */
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

/** Maximum length of a session's preview, in characters. */
const maxPreviewLength = 200;

const labelsSchema = z.record(z.string(), z.array(z.string()));

/** Returns what one span says about its session, as stored in the table. `userText` is the user's last message in it. */
export function factsOf({span, type}: Touched, userText: string | undefined): Facts {
	const {attributes, endedAt} = span;
	const labels = objectAt(attributes, 'service.session.labels');
	const runtime = textAt(attributes, 'service.runtime.id')?.toLowerCase();
	const isArchived = valueAt(attributes, 'service.session.archived') === true;
	return {
		agent: textAt(attributes, 'gen_ai.agent.name'),
		model: isGeneration(type, attributes) ? modelOf(attributes) : undefined,
		title: textAt(attributes, 'service.session.title')?.slice(0, maxTitleLength),
		preview_text: userText?.trim().slice(0, maxPreviewLength) || undefined,
		origin: wordAt(attributes, 'service.session.origin', ['user', 'eval', 'worker']),
		visibility: wordAt(attributes, 'service.session.visibility', sessionSchema.shape.visibility.options),
		labels: labels && z.safeParse(labelsSchema, labels).success ? JSON.stringify(labels) : undefined,
		runtime_id: runtime !== undefined && isUuid(runtime) ? runtime : undefined,
		archived_at: isArchived ? toTime(endedAt) : undefined,
		frozen_by: wordAt(attributes, 'service.session.frozen_by', ['evaluation', 'user']),
	};
}
