import * as z from 'zod/mini';
import {anyObject, text} from '../scalars.ts';

export const mfaCodeSchema = z.strictObject({code: text(1, 64)});

/** `MfaEnrollmentVerifyResponse`: shown once, good for one login each. */
export const mfaEnrollmentSchema = z.looseObject({recovery_codes: z.array(z.string())});

export const createApiKeySchema = z.strictObject({name: z.optional(z.string())});

/** An API key as creation answers it, with its secret somewhere; the specification names no field. */
export const apiKeySchema = anyObject;
