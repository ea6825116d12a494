import type {Handlers} from '../handlers.ts';
import {apiKeyHandlers} from './api-keys.ts';
import {assessmentHandlers} from './assessments.ts';
import {creditHandlers} from './credits.ts';
import {evaluationHandlers} from './evaluations.ts';
import {findingHandlers} from './findings.ts';
import {itemHandlers} from './items.ts';
import {mfaHandlers} from './mfa.ts';
import {organizationHandlers} from './organization.ts';
import {preferenceHandlers} from './preferences.ts';
import {runHandlers} from './runs.ts';
import {sessionHandlers} from './sessions.ts';
import {stageHandlers} from './stages.ts';
import {traceHandlers} from './traces.ts';

/** Every operation of the contract. */
export const handlers: Partial<Handlers> = {
	...apiKeyHandlers,
	...assessmentHandlers,
	...creditHandlers,
	...evaluationHandlers,
	...findingHandlers,
	...itemHandlers,
	...mfaHandlers,
	...organizationHandlers,
	...preferenceHandlers,
	...runHandlers,
	...sessionHandlers,
	...stageHandlers,
	...traceHandlers,
};
