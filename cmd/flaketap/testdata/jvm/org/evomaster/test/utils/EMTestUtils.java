package org.evomaster.test.utils;

import java.net.URI;

/** Stands in for the helper that suites in the generator's style import. */
public final class EMTestUtils {
    private EMTestUtils() {}

    /** A location that is missing or empty is none, and so not wrong. */
    public static boolean isValidURIorEmpty(String uri) {
        if (uri == null || uri.trim().isEmpty()) {
            return true;
        }
        try {
            URI.create(uri.trim());
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** The template where there is no location, else the location with the segments that it lacks of the template. */
    public static String resolveLocation(String location, String template) {
        if (location == null || location.isEmpty()) {
            return template;
        }
        URI base = URI.create(template);
        URI found = base.resolve(location.trim());
        String[] wanted = base.getRawPath().split("/");
        StringBuilder path = new StringBuilder(found.getRawPath());
        for (int i = found.getRawPath().split("/").length; i < wanted.length; i++) {
            path.append('/').append(wanted[i]);
        }
        String query = base.getRawQuery() == null ? "" : "?" + base.getRawQuery();
        return base.getScheme() + "://" + base.getRawAuthority() + path + query;
    }
}
