import type {Handlers} from '../handlers.ts';
import {apiKeyHandlers} from './api-keys.ts';
import {mfaHandlers} from './mfa.ts';
import {preferenceHandlers} from './preferences.ts';

/** Every operation of the contract. */
export const handlers: Partial<Handlers> = {
	...apiKeyHandlers,
	...mfaHandlers,
	...preferenceHandlers,
};
