#include "Core/Pictures/Cells.h"

#include "Support/Catch.h"

#include <algorithm>
#include <vector>

namespace {

using namespace earshot::pictures;

using FloatCells = Cells<float, Sum>;

FloatCells cellsOfOnes(std::int64_t rows) {
    FloatCells cells(2);
    const std::vector<float> row = {1.0f, 0.0f};
    for (std::int64_t i = 0; i < rows; ++i) cells.append(row);
    return cells;
}

} // namespace

TEST_CASE("cells hold every row once, whatever the length, and never more cells than agreed", "[unit]") {
    const auto most = static_cast<std::int64_t>(maxCells);
    for (const std::int64_t rows :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{7}, most - 1, most, most + 1, 2 * most - 1, 2 * most,
          2 * most + 1, 3 * most, 4 * most + 17, 9 * most}) {
        INFO(rows << " rows");
        const auto cells = cellsOfOnes(rows);
        REQUIRE(cells.cells() <= maxCells);
        REQUIRE((rows < most || cells.cells() >= maxCells / 2));
        std::int64_t counted = 0;
        for (std::size_t i = 0; i < cells.cells(); ++i) {
            REQUIRE(cells.cell(i)[0] == static_cast<float>(cells.rowsIn(i)));
            REQUIRE(cells.rowsIn(i) >= 1);
            counted += cells.rowsIn(i);
        }
        REQUIRE(counted == rows);
    }
}

TEST_CASE("a row stays in the cell of its time however often cells are joined", "[unit]") {
    const auto rows = static_cast<std::int64_t>(5 * maxCells + 3);
    for (const std::int64_t marked :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{4097}, rows / 2, rows - 1}) {
        INFO("row " << marked);
        Cells<std::uint8_t, Largest> cells(3);
        for (std::int64_t i = 0; i < rows; ++i) {
            const std::uint8_t level = i == marked ? 200 : 3;
            cells.append(std::vector<std::uint8_t>{0, level, 1});
        }
        for (std::size_t i = 0; i < cells.cells(); ++i) {
            const bool here = static_cast<std::int64_t>(i) == marked / cells.rowsPerCell();
            REQUIRE(cells.cell(i)[1] == (here ? 200 : 3));
        }
    }
}

TEST_CASE("pixels show all cells in order: each once where they are narrow, none skipped where they are wide",
          "[unit]") {
    for (const std::size_t count : {std::size_t{1}, std::size_t{3}, std::size_t{99}, std::size_t{100},
                                    std::size_t{101}, std::size_t{250}, std::size_t{4096}}) {
        INFO(count << " cells");
        const double secondsPerCell = 0.32;
        const CellColumns columns(count, secondsPerCell, static_cast<double>(count) * secondsPerCell, 100);
        std::vector<int> shown(count);
        std::size_t last = 0;
        for (int pixel = 0; pixel < 100; ++pixel) {
            const auto range = columns.at(pixel);
            REQUIRE(range.first < range.last);
            REQUIRE(range.first <= last);
            last = range.last;
            for (std::size_t cell = range.first; cell < range.last; ++cell) ++shown[cell];
        }
        REQUIRE(last == count);
        REQUIRE(std::ranges::none_of(shown, [](int times) { return times == 0; }));
        if (count >= 100) REQUIRE(std::ranges::all_of(shown, [](int times) { return times == 1; }));
    }
}

TEST_CASE("pixels beyond the last cell have none", "[unit]") {
    const CellColumns columns(10, 1.0, 20.0, 40);
    for (int pixel = 20; pixel < 40; ++pixel) REQUIRE(columns.at(pixel).first >= columns.at(pixel).last);
    REQUIRE(CellColumns(0, 1.0, 1.0, 5).at(0).last == 0);
}
