#include "report/html/conditions.h"

#include <fmt/format.h>
#include <zlib.h>

#include "report/html/base64.h"
#include "report/html/markup.h"
#include "values/environment.h"
#include "values/json.h"

namespace judge::html {

namespace {

// As gzip does; empty where zlib has no memory.
std::string compressed(const std::string& text) {
    z_stream stream{};
    constexpr int kGzip = 15 + 16;  // the largest window, and gzip's header
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
    std::string result(deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib only reads it
    stream.avail_in = uInt(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(result.data());
    stream.avail_out = uInt(result.size());
    const bool done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    result.resize(stream.total_out);
    deflateEnd(&stream);
    return done ? result : "";
}

// Six digits say more than the clock knows, in half of the bytes.
void round_samples(Json& row) {
    for (const char* key : {"time_ms", "cold_ms", "baseline_ms", "baseline_cold_ms"}) {
        for (Json& sample : row.at(key)) {
            if (sample.is_number()) sample = std::stod(fmt::format("{:.6g}", sample.get<double>()));
        }
    }
}

std::string record(const View& view, bool samples) {
    Json rows = view.rows();
    for (Json& row : rows) {
        round_samples(row);
        if (samples) continue;
        for (const char* key : {"time_ms", "cold_ms", "baseline_ms", "baseline_cold_ms"}) row[key] = Json::array();
    }
    const Json document = {{"environment", view.environment()}, {"rows", std::move(rows)}};
    return base64(compressed(document.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

std::string download(const View& view, size_t room) {
    std::string data = record(view, true), what = "the record of this run";
    if (data.size() > room) {
        data = record(view, false);
        what = "the record of this run without its samples, which would make this page too large (--json has them)";
    }
    if (data.empty() || data.size() > room) return "<p>The record is too large for this page: --json writes it.</p>\n";
    return fmt::format(
        "<p><a class=\"button\" download=\"run.json.gz\" href=\"data:application/gzip;base64,{}\">Download "
        "run.json.gz</a> {}; compare report reads it when it is unpacked (gunzip).</p>\n",
        data, what);
}

}  // namespace

Section conditions(const View& view, size_t room) {
    Section section{"conditions", "Conditions", {}, {}};
    std::string facts;
    for (const auto& [key, value] : view.environment().items()) {
        if (key == "command" || value.is_null() || (value.is_structured() && value.empty())) continue;
        facts += fmt::format("<dt>{}</dt><dd>{}</dd>\n", text(key),
                             text(value.is_string() ? value.get<std::string>()
                                                    : value.dump(-1, ' ', false, Json::error_handler_t::replace)));
    }
    section.body = fmt::format(
        "<h3>To repeat it:</h3>\n<pre tabindex=\"0\" aria-label=\"the command\">{}</pre>\n"
        "<p class=\"note\">--seed {} takes the same matrices again.</p>\n<dl>\n{}</dl>\n{}",
        text(text_of(view.environment(), "command"), 8000), text(view.environment().value("seed", Json()).dump()),
        facts, download(view, room));
    return section;
}

}  // namespace judge::html
