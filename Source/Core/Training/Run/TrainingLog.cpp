#include "Core/Training/Run/TrainingLog.h"

#include "Core/Base/Csv.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <locale>
#include <sstream>

namespace earshot::training {

namespace {

constexpr const char* header = "epoch,steps,examples,loss,rate,gradient_norm,valid_loss,event_f1,segment_f1,"
                               "map,seconds,examples_per_second,embedding_r2\n";
constexpr std::size_t columns = 13; // a log of version 0.2 lacks the last

std::string number(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? fmt::format("{:.6g}", *value) : std::string();
}

std::optional<double> parsed(const std::string& text) {
    std::istringstream stream(text);
    stream.imbue(std::locale::classic());
    double value = 0.0;
    if (!(stream >> value) || !stream.eof()) return std::nullopt;
    return value;
}

constexpr double width = 760.0;
constexpr double left = 64.0;
constexpr double right = width - 150.0; // the legend stands beside the plot
constexpr double top = 44.0;
constexpr double panelHeight = 220.0;
constexpr double panelDistance = 280.0;
constexpr double height = top + panelDistance + panelHeight + 52.0;

struct Point {
    double epoch, value;
};

struct Curve {
    const char* name;
    const char* colour; // distinguishable for colour-blind users and in grey
    const char* dashes;
    std::vector<Point> points;
};

struct Axis {
    double low = 0.0;
    double high = 1.0;
    double step = 0.2;
};

// About `wanted` steps of 1, 2 or 5 times a power of ten.
double niceStep(double span, int wanted) {
    const double raw = span / wanted;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (raw <= factor * power * 1.0001) return factor * power;
    return 10.0 * power;
}

Axis lossAxis(const std::vector<Curve>& curves) {
    double highest = 0.0;
    for (const Curve& curve : curves)
        for (const Point& point : curve.points) highest = std::max(highest, point.value);
    if (!(highest > 0.0)) return {};
    const double step = niceStep(highest, 5);
    return {0.0, std::ceil(highest / step - 1e-9) * step, step};
}

std::string escaped(const std::string& text) { return markupText(printable(text)); }

class Panel {
  public:
    Panel(std::string& svg, double y, const Axis& axis, double lastEpoch)
        : svg_(svg)
        , y_(y)
        , axis_(axis)
        , lastEpoch_(lastEpoch) {}

    void draw(const char* title, const std::vector<Curve>& curves) {
        drawFrame(title);
        double legend = y_ + 12.0;
        for (const Curve& curve : curves) {
            if (curve.points.empty()) continue;
            drawCurve(curve);
            svg_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
                                "stroke-width=\"2\" stroke-dasharray=\"{}\"/>\n",
                                right + 14, legend - 4, right + 40, legend - 4, curve.colour, curve.dashes);
            text(right + 46, legend, "start", curve.name);
            legend += 20.0;
        }
    }

  private:
    double x(double epoch) const { return left + (right - left) * epoch / lastEpoch_; }
    double y(double value) const {
        const double share = (value - axis_.low) / (axis_.high - axis_.low);
        return y_ + panelHeight * (1.0 - std::clamp(share, 0.0, 1.0));
    }

    void text(double atX, double atY, const char* anchor, const std::string& words) {
        svg_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", atX, atY,
                            anchor, escaped(words));
    }

    void line(double x1, double y1, double x2, double y2, const char* colour) {
        svg_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n",
                            x1, y1, x2, y2, colour);
    }

    void drawFrame(const char* title) {
        const auto steps = static_cast<int>(std::lround((axis_.high - axis_.low) / axis_.step));
        for (int i = 0; i <= steps; ++i) {
            const double value = axis_.low + axis_.step * i;
            line(left, y(value), right, y(value), "#e4e4e4");
            text(left - 8, y(value) + 4, "end", fmt::format("{:.4g}", value));
        }
        const double step = std::max(1.0, niceStep(lastEpoch_, 8));
        for (double epoch = 0.0; epoch <= lastEpoch_ + 1e-9; epoch += step) {
            line(x(epoch), y_ + panelHeight, x(epoch), y_ + panelHeight + 5, "#333333");
            text(x(epoch), y_ + panelHeight + 19, "middle", fmt::format("{:.0f}", epoch));
        }
        line(left, y_, left, y_ + panelHeight, "#333333");
        line(left, y_ + panelHeight, right, y_ + panelHeight, "#333333");
        text(left, y_ - 8, "start", title);
        text((left + right) / 2, y_ + panelHeight + 36, "middle", "epoch");
    }

    void drawCurve(const Curve& curve) {
        std::string points;
        for (const Point& point : curve.points)
            points +=
                fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", x(point.epoch), y(point.value));
        if (curve.points.size() == 1)
            svg_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n",
                                x(curve.points[0].epoch), y(curve.points[0].value), curve.colour);
        else
            svg_ += fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"2\" "
                                "stroke-linejoin=\"round\" stroke-dasharray=\"{}\" points=\"{}\"/>\n",
                                curve.colour, curve.dashes, points);
    }

    std::string& svg_;
    double y_;
    Axis axis_;
    double lastEpoch_;
};

void append(Curve& curve, int epoch, const std::optional<double>& value) {
    if (value && std::isfinite(*value)) curve.points.push_back({static_cast<double>(epoch), *value});
}

} // namespace

std::string logAsCsv(const std::vector<LogRow>& rows) {
    std::string text = header;
    for (const LogRow& row : rows)
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{:.1f},{:.1f},{}\n", row.epoch, row.steps,
                            row.examples, number(row.loss), number(row.rate), number(row.gradientNorm),
                            number(row.validLoss), number(row.eventF1), number(row.segmentF1),
                            number(row.meanAveragePrecision), row.seconds, row.examplesPerSecond,
                            number(row.embeddingR2));
    return text;
}

std::vector<LogRow> logFromCsv(std::string_view text) {
    std::vector<LogRow> rows;
    for (const CsvRow& fields : parseCsv(text)) {
        if (fields.size() != columns && fields.size() + 1 != columns) continue;
        std::optional<double> values[columns];
        for (std::size_t i = 0; i < fields.size(); ++i) values[i] = parsed(fields[i]);
        if (!values[0] || !values[1] || !values[2]) continue; // the header
        LogRow row;
        row.epoch = static_cast<int>(*values[0]);
        row.steps = static_cast<std::int64_t>(*values[1]);
        row.examples = static_cast<std::int64_t>(*values[2]);
        row.loss = values[3].value_or(0.0);
        row.rate = values[4].value_or(0.0);
        row.gradientNorm = values[5].value_or(0.0);
        row.validLoss = values[6];
        row.eventF1 = values[7];
        row.segmentF1 = values[8];
        row.meanAveragePrecision = values[9];
        row.seconds = values[10].value_or(0.0);
        row.examplesPerSecond = values[11].value_or(0.0);
        row.embeddingR2 = values[12];
        rows.push_back(row);
    }
    return rows;
}

std::string drawCurves(const std::vector<LogRow>& rows, const std::string& title) {
    std::vector<Curve> losses = {{"training", "#0072b2", "none", {}}, {"validation", "#d55e00", "6 3", {}}};
    std::vector<Curve> scores = {{"event F1", "#0072b2", "none", {}},
                                 {"segment F1", "#d55e00", "6 3", {}},
                                 {"mean AP", "#007a5a", "2 3", {}},
                                 {"embedding R2", "#6b4c9a", "8 2 2 2", {}}};
    double lastEpoch = 1.0;
    for (const LogRow& row : rows) {
        lastEpoch = std::max(lastEpoch, static_cast<double>(row.epoch));
        append(losses[0], row.epoch, row.loss);
        append(losses[1], row.epoch, row.validLoss);
        append(scores[0], row.epoch, row.eventF1);
        append(scores[1], row.epoch, row.segmentF1);
        append(scores[2], row.epoch, row.meanAveragePrecision);
        append(scores[3], row.epoch, row.embeddingR2);
    }
    std::string svg =
        fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                    "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\">\n"
                    "<title>{2}</title>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n"
                    "<text x=\"{3}\" y=\"18\" font-size=\"14\" font-weight=\"bold\">{2}</text>\n",
                    width, height, escaped(title), left);
    Panel(svg, top, lossAxis(losses), lastEpoch).draw("loss", losses);
    Panel(svg, top + panelDistance, Axis{}, lastEpoch).draw("scores on validation scenes", scores);
    return svg + "</svg>\n";
}

} // namespace earshot::training
