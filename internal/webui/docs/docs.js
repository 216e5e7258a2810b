// Starts the API reference (scalar.js, loaded after this file). What is switched
// off here would otherwise reach for servers of others or for eval. The
// Content-Security-Policy of the page forbids both, so this is only good manners.

// Scalar checks data with zod, which tries eval to be faster unless told not to.
globalThis.__zod_globalConfig = { jitless: true };

document.addEventListener('DOMContentLoaded', () => {
  Scalar.createApiReference('#reference', {
    url: '/openapi.json',
    authentication: { preferredSecurityScheme: 'bearer' },
    documentDownloadType: 'direct',
    orderSchemaPropertiesBy: 'preserve',
    persistAuth: false, // a token typed in here is forgotten with the page
    telemetry: false,
    withDefaultFonts: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
  });
});
