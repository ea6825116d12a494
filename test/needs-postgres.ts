import {beforeEach, inject} from 'vitest';

/** Skips the tests of this project, with the reason, if PostgreSQL isn't installed. */
beforeEach(({skip}) => skip(inject('postgres') === '', 'PostgreSQL is not installed (Debian: postgresql)'));
