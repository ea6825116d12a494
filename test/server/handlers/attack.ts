import type {Json} from '../../../src/core/json.ts';
import type {Given} from '../ingest/push.ts';

export const assessmentId = '33333333-3333-4333-8333-333333333333';

const withFamily = (family: string, fields: Readonly<Record<string, Json>>) =>
	Object.fromEntries(Object.entries(fields).map(([name, value]) => [`${family}${name}`, value]));

/** The span of an assessment, the parent of attacks. */
export const assessment = (fields: Readonly<Record<string, Json>> = {}): Given => ({
	id: 'a',
	name: 'assessment',
	start: 0,
	end: 100,
	attributes: {
		'service.span.type': 'assessment',
		'service.airt.assessment.id': assessmentId,
		...withFamily('service.airt.assessment.', fields),
	},
});

/** The span of an attack. */
export const attack = (id: string, start: number, fields: Readonly<Record<string, Json>> = {}): Given => ({
	id,
	parent: 'a',
	name: 'attack',
	start,
	end: start + 8,
	attributes: {'service.span.type': 'attack', ...withFamily('service.airt.attack.', fields)},
});

/** The span of a trial of an attack. */
export const trial = (
	id: string,
	parent: string,
	start: number,
	fields: Readonly<Record<string, Json>> = {},
): Given => ({
	id,
	parent,
	name: 'trial',
	start,
	end: start + 2,
	attributes: {'service.span.type': 'trial', ...withFamily('service.airt.trial.', fields)},
});
